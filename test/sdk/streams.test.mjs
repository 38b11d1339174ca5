import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { cuttable } from './connection.mjs';
import { later, said, until, world } from './world.mjs';

const it = world();

test('progress comes down, and grows over the rounds', async (t) => {
  const c = await it.connect(t);
  const values = [];
  const result = await c.call('walk', {}, { onprogress: ({ progress }) => values.push(progress) });
  assert.equal(said(result), 'there');
  assert.equal(values.length, 6);
  assert.deepEqual(values, values.toSorted((a, b) => a - b));
  assert.equal(new Set(values).size, 6, `${values} repeats itself`);
});

test('log messages come down from the level that was set', async (t) => {
  const c = await it.connect(t);
  const lines = [];
  c.client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void lines.push(params.data));
  await c.call('test_tool_with_logging');
  assert.deepEqual(lines, [], 'nothing was asked for');
  await c.client.setLoggingLevel('info');
  await c.call('test_tool_with_logging');
  assert.equal(lines.length, 3);
});

test('a cancelled call is cancelled at the server', async (t) => {
  const c = await it.connect(t);
  const before = it.server.cancelled.length;
  const stop = new AbortController();
  const call = c.call('sleep', {}, { signal: stop.signal, onprogress: () => stop.abort('enough') });
  await assert.rejects(call, /enough/);
  await until('the server hears of it', () => it.server.cancelled.length > before);
});

test('a cancelled call withdraws its question', async (t) => {
  const [asked, withdrawn] = [later(), later()];
  const c = await it.connect(t, {
    answers: {
      elicitation: (_, { signal }) => {
        signal.addEventListener('abort', withdrawn.resolve);
        asked.resolve();
        return withdrawn.promise.then(() => ({ action: 'cancel' }));
      },
    },
  });
  const stop = new AbortController();
  const call = c.call('greet', {}, { signal: stop.signal });
  await asked.promise;
  stop.abort('enough');
  await assert.rejects(call, /enough/);
  await withdrawn.promise;
});

test('a resource that is subscribed to is announced, and no more after that', async (t) => {
  const uri = 'test://watched-resource';
  const c = await it.connect(t);
  const seen = [];
  c.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void seen.push(params.uri));
  c.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void seen.push('tools'));

  await c.client.subscribeResource({ uri });
  await announced(() => it.server.notify.resourceUpdated(uri), () => seen.includes(uri));
  it.server.watched = 'later';
  assert.equal((await c.client.readResource({ uri })).contents[0].text, 'later');

  await c.client.unsubscribeResource({ uri });
  seen.length = 0;
  await announced(() => {
    it.server.notify.resourceUpdated(uri);
    it.server.notify.toolsChanged();
  }, () => seen.includes('tools'));
  assert.ok(!seen.includes(uri), `${seen}`);
});

test('only those who asked hear of a resource', async (t) => {
  const uri = 'test://watched-resource';
  const [one, other] = [await it.connect(t), await it.connect(t)];
  const seen = { one: [], other: [] };
  for (const [name, c] of Object.entries({ one, other })) {
    c.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void seen[name].push(params.uri));
    c.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void seen[name].push('tools'));
  }
  await one.client.subscribeResource({ uri });
  await announced(() => {
    it.server.notify.resourceUpdated(uri);
    it.server.notify.toolsChanged();
  }, () => seen.one.includes(uri) && seen.other.includes('tools'));
  assert.ok(!seen.other.includes(uri));
});

// A change may come while the proxy is still listening anew: a server announces what changes now, so it is changed again.
async function announced(change, heard) {
  await until('the announcement', async () => {
    change();
    for (let i = 0; i < 20 && !heard(); i++) await new Promise((done) => setTimeout(done, 10));
    return heard();
  });
}

test('a connection that breaks while a person thinks is taken up again', async (t) => {
  const [asked, answer] = [later(), later()];
  const connection = cuttable();
  const c = await it.connect(t, {
    options: { fetch: connection.fetch },
    answers: { elicitation: () => (asked.resolve(), answer.promise) },
  });
  const call = c.call('greet');
  await asked.promise;
  connection.cut('tools/call');
  await connection.resumed;
  answer.resolve({ action: 'accept', content: { name: 'Ada' } });
  assert.equal(said(await call), 'Hello, Ada');
  assert.equal(it.server.counts.last.filter(({ method }) => method === 'tools/call').at(-1).params.inputResponses.name.content.name, 'Ada');
});

test('an answer that is given while the connection is broken counts', async (t) => {
  const [asked, answer] = [later(), later()];
  const connection = cuttable();
  const c = await it.connect(t, {
    options: { fetch: connection.fetch },
    answers: { elicitation: () => (asked.resolve(), answer.promise) },
  });
  const call = c.call('greet');
  await asked.promise;
  connection.cut('tools/call');
  answer.resolve({ action: 'accept', content: { name: 'Grace' } });
  assert.equal(said(await call), 'Hello, Grace');
  await connection.resumed;
});

test('an argument is mirrored in its header', async (t) => {
  const c = await it.connect(t);
  assert.equal(said(await c.call('region', { region: 'eu' })), 'eu eu');
});

test('a session that was ended is gone', async (t) => {
  const c = await it.connect(t);
  const { sessionId } = c.transport;
  await c.transport.terminateSession();
  const response = await fetch(it.proxy.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'Mcp-Session-Id': sessionId },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  assert.equal(response.status, 404);
});

test('a standing stream that breaks is opened again', async (t) => {
  const connection = cuttable();
  const c = await it.connect(t, { options: { fetch: connection.fetch } });
  let heard = 0;
  c.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard++);
  await announced(() => it.server.notify.toolsChanged(), () => heard > 0);
  connection.cut('GET');
  heard = 0;
  await announced(() => it.server.notify.toolsChanged(), () => heard > 0);
});
