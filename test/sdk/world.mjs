// What every test here stands in: a modern-only server of the SDK v2, the daemon, and a client.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { legacyClient } from '../peers/client.mjs';
import { daemon } from '../peers/daemon.mjs';
import { serve } from '../peers/server/serve.mjs';

/** One server and one daemon for the tests of a file. connect gives a client, a legacy one, that ends with the test t. */
export function world(settings, client = legacyClient) {
  const it = {
    async connect(t, how) {
      const c = await client(it.proxy.url, how);
      t.after(() => c.close());
      return c;
    },
  };
  let begun; // with --test-name-pattern, Node does not wait for before in a file without such a test
  const begin = async () => {
    it.server = await serve();
    it.proxy = await daemon(it.server.url, settings);
  };
  before(() => (begun = begin()));
  after(async () => {
    await begun;
    if (!it.proxy) return;
    await it.proxy.stop();
    await it.server.close();
    assert.deepEqual(it.server.counts.violations, {}, 'only modern traffic goes upstream');
  });
  return it;
}

/** Waits for a condition, five seconds at most. */
export async function until(what, holds) {
  const end = Date.now() + 5000;
  while (!(await holds())) {
    if (Date.now() > end) assert.fail(`${what}: not within five seconds`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** A promise and what settles it. */
export function later() {
  const it = {};
  it.promise = new Promise((resolve, reject) => Object.assign(it, { resolve, reject }));
  return it;
}

/** The text of a result. */
export const said = (result) => result.content[0].text;
