// Preloaded into the suite: its mock servers name no host, and would listen on every interface.
// Some read their address right after listen(), so the bind has to be synchronous: an address that needs no look-up is.
import net from 'node:net';

const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function (...args) {
  const done = typeof args.at(-1) === 'function' ? args.at(-1) : undefined;
  const [first, second] = args;
  const named = typeof second === 'string' || first?.host || first?.path || first?.fd !== undefined || first?._handle;
  const port = typeof first === 'object' ? first?.port : first;
  if (named || !/^\d+$/.test(String(port ?? ''))) return listen.apply(this, args);
  if (done) this.once('listening', done);
  this._listen2('127.0.0.1', Number(port), 4, 511);
  return this;
};
