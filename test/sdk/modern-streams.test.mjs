// The official TypeScript SDK v2 on both sides of the daemon: progress, log messages, cancellation, subscriptions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { daemon } from '../peers/daemon.mjs';
import { modernClient } from '../peers/modern.mjs';
import { later, said, until, world } from './world.mjs';

const it = world({}, modernClient);
const watched = 'test://watched-resource';

test('progress comes down in every round', async (t) => {
  const c = await it.connect(t);
  const steps = [];
  const result = await c.call('walk', {}, { onprogress: ({ message }) => message?.startsWith('step') && steps.push(message) });
  assert.equal(said(result), 'there');
  assert.deepEqual(steps, ['step 1', 'step 2', 'step 3', 'step 1', 'step 2', 'step 3']);
});

test('log messages come down to a request that wants them', async (t) => {
  const c = await it.connect(t);
  const lines = [];
  c.client.setNotificationHandler('notifications/message', ({ params }) => void lines.push(params.data));
  await c.call('test_tool_with_logging');
  assert.deepEqual(lines, [], 'nothing was asked for');
  await c.client.callTool({ name: 'test_tool_with_logging', arguments: {}, _meta: { [LOG_LEVEL_META_KEY]: 'info' } });
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

test('a call that is given up while a person thinks goes no further', async (t) => {
  const [asked, withdrawn] = [later(), later()];
  const c = await it.connect(t, {
    answers: {
      elicitation: (_, { mcpReq }) => {
        mcpReq.signal.addEventListener('abort', withdrawn.resolve);
        asked.resolve();
        return withdrawn.promise.then(() => ({ action: 'cancel' }));
      },
    },
  });
  const stop = new AbortController();
  const call = c.call('greet', {}, { signal: stop.signal });
  await asked.promise;
  const calls = it.server.counts.methods['tools/call'];
  stop.abort('enough');
  await assert.rejects(call, /enough/);
  await withdrawn.promise;
  assert.equal(said(await c.call('add', { a: 1, b: 2 })), '3');
  assert.equal(it.server.counts.methods['tools/call'], calls + 1);
});

// Notes what is announced to a client, in the order of arrival.
function announcements(c) {
  const seen = [];
  c.client.setNotificationHandler('notifications/resources/updated', ({ params }) => void seen.push(params.uri));
  for (const what of ['tools', 'prompts', 'resources']) {
    c.client.setNotificationHandler(`notifications/${what}/list_changed`, () => void seen.push(what));
  }
  return seen;
}

test('what a client listens for is announced, and nothing else', async (t) => {
  const c = await it.connect(t);
  const seen = announcements(c);
  const subscription = await c.client.listen({ toolsListChanged: true, resourceSubscriptions: [watched] });
  assert.deepEqual(subscription.honoredFilter, { toolsListChanged: true, resourceSubscriptions: [watched] });
  it.server.notify.promptsChanged();
  it.server.notify.resourceUpdated('test://static-text');
  it.server.notify.resourceUpdated(watched);
  it.server.notify.toolsChanged();
  await until('both', () => seen.length >= 2);
  assert.deepEqual(seen, [watched, 'tools']);
  await subscription.close();
  assert.equal(await subscription.closed, 'local');
});

test('two subscriptions of two clients do not mix', async (t) => {
  const [one, other] = [await it.connect(t), await it.connect(t)];
  const seen = { one: announcements(one), other: announcements(other) };
  await one.client.listen({ resourceSubscriptions: [watched] });
  await other.client.listen({ promptsListChanged: true });
  it.server.notify.resourceUpdated(watched);
  it.server.notify.promptsChanged();
  await until('one each', () => seen.one.length && seen.other.length);
  assert.deepEqual(seen, { one: [watched], other: ['prompts'] });
});

test('a subscription that was closed ends at the server', async (t) => {
  const c = await it.connect(t);
  await until('no other is open', () => it.server.listens === 0);
  const [first, second] = [await c.client.listen({ toolsListChanged: true }), await c.client.listen({ promptsListChanged: true })];
  assert.equal(it.server.listens, 2);
  await first.close();
  await until('one is closed', () => it.server.listens === 1);
  const seen = announcements(c);
  it.server.notify.toolsChanged();
  it.server.notify.promptsChanged();
  await until('the other', () => seen.length);
  assert.deepEqual(seen, ['prompts']);
  await second.close();
  await until('both are closed', () => it.server.listens === 0);
});

test('a subscription ends with the daemon, and the client hears of it', async (t) => {
  const proxy = await daemon(it.server.url);
  const c = await modernClient(proxy.url);
  t.after(() => c.close());
  const subscription = await c.client.listen({ toolsListChanged: true });
  await proxy.stop();
  assert.equal(await subscription.closed, 'graceful');
});
