// A fetch whose event streams can be cut, as a network does it.
import { later } from './world.mjs';

/** fetch for a transport; cut breaks the streams that answer a method; resumed settles with the first Last-Event-ID. */
export function cuttable() {
  const open = [];
  const resumed = later();
  return {
    resumed: resumed.promise,
    async fetch(url, init = {}) {
      const headers = new Headers(init.headers);
      const breaker = new AbortController();
      const signal = init.signal ? AbortSignal.any([init.signal, breaker.signal]) : breaker.signal;
      const response = await fetch(url, { ...init, signal });
      open.push({ method: init.body ? JSON.parse(init.body).method : init.method, breaker });
      const after = headers.get('last-event-id');
      if (after) resumed.resolve(after);
      return response;
    },
    cut(method) {
      const cut = open.filter((one) => one.method === method);
      if (!cut.length) throw new Error(`no stream of ${method} is open`);
      for (const { breaker } of cut) breaker.abort(new Error('cut'));
    },
  };
}
