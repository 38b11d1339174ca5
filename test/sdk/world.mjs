// What every test here stands in: a modern-only server of the SDK v2, the daemon, and a client.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { legacyClient } from '../peers/client.mjs';
import { daemon } from '../peers/daemon.mjs';
import { recorder } from '../peers/recorder.mjs';
import { serve } from '../peers/server/serve.mjs';
import { held } from './heard.mjs';

/**
 * One server and one daemon for the tests of a file. connect gives a client, a legacy one, that ends with the test t. All that
 * clients hear is held against the official schema when the tests are over.
 */
export function world(settings, client = legacyClient) {
  const it = {
    async connect(t, how) {
      const c = await client(it.tap.url, how);
      t.after(() => c.close());
      return c;
    },
  };
  let begun; // with --test-name-pattern, Node does not wait for before in a file without such a test
  const begin = async () => {
    it.server = await serve();
    it.proxy = await daemon(it.server.url, settings);
    it.tap = await recorder(it.proxy.url);
  };
  before(() => (begun = begin()));
  after(async () => {
    await begun;
    if (!it.tap) return;
    await it.tap.close();
    await it.proxy.stop();
    await it.server.close();
    assert.deepEqual(it.server.counts.violations, {}, 'only modern traffic goes upstream');
    assert.deepEqual(held(it.tap.seen).faults, [], 'what clients hear fits the schema of their revision');
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
