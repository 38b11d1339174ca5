// The official TypeScript SDK v2 on both sides of the daemon: what rounds, asks and limits are to a modern client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metric } from '../peers/daemon.mjs';
import { modernClient } from '../peers/modern.mjs';
import { questions } from './questions.mjs';
import { said, world } from './world.mjs';

const it = world({}, modernClient);

questions(it);

test('the client speaks 2026-07-28, with the server behind the daemon', async (t) => {
  const c = await it.connect(t);
  assert.equal(c.client.getNegotiatedProtocolVersion(), '2026-07-28');
  assert.equal(c.client.getServerVersion().name, 'modern-only');
  assert.equal(c.client.getInstructions(), 'Everything here is for tests.');
});

for (const [mode, version] of [['auto', '2026-07-28'], ['legacy', '2025-11-25']]) {
  test(`a client whose mode is ${mode} speaks ${version}, on the same path`, async (t) => {
    const c = await it.connect(t, { options: { versionNegotiation: { mode } } });
    assert.equal(c.client.getNegotiatedProtocolVersion(), version);
    assert.equal(said(await c.call('greet')), 'Hello, something');
  });
}

test('a link is consented to, and the client itself waits for what happens there', async (t) => {
  const c = await it.connect(t);
  assert.equal(said(await c.call('connect')), 'connected');
  assert.equal(c.asked.length, 1);
  assert.deepEqual([c.asked[0].params.mode, c.asked[0].params.url], ['url', 'https://login.example/start']);
});

test('the model and the roots are asked for', async (t) => {
  const c = await it.connect(t);
  assert.equal(said(await c.call('test_sampling', { prompt: 'Say something' })), 'LLM response: sampled');
  assert.equal(c.asked[0].params.messages[0].content.text, 'Say something');
  assert.equal(said(await c.call('workspace')), 'file:///srv/work');
});

test('a server that never stops asking is stopped', async (t) => {
  const before = await metric(it.proxy, 'mrtr_proxy_limit_trips_total', { limit: 'max_rounds' });
  const c = await it.connect(t);
  const result = await c.call('interview');
  assert.equal(result.isError, true);
  const { kind, limit, rounds } = result._meta['mrtr-proxy/failure'];
  assert.deepEqual({ kind, limit, rounds }, { kind: 'mrtr_round_limit', limit: 'max_rounds', rounds: 8 });
  assert.equal(c.asked.length, 7);
  assert.equal(await metric(it.proxy, 'mrtr_proxy_limit_trips_total', { limit: 'max_rounds' }), before + 1);
});

test('a client that cannot be asked gets an error that names what it lacks', async (t) => {
  const c = await it.connect(t, { capabilities: {} });
  await assert.rejects(c.call('greet'), { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } });
});

test('an argument is mirrored in its header', async (t) => {
  const c = await it.connect(t);
  await c.client.listTools();
  assert.equal(said(await c.call('region', { region: 'eu' })), 'eu eu');
});

// By hand: what the SDK does for a caller otherwise, a round a call.
const manual = { allowInputRequired: true };
const retry = (c, name, inputResponses, requestState) =>
  c.client.request({ method: 'tools/call', params: { name, arguments: {}, inputResponses, requestState } }, manual);
const ada = { name: { action: 'accept', content: { name: 'Ada' } } };

test('a requestState that was changed is refused, and goes nowhere', async (t) => {
  const c = await it.connect(t);
  const { requestState } = await c.call('greet', {}, manual);
  assert.equal(said(await retry(c, 'greet', ada, requestState)), 'Hello, Ada');
  const upstream = it.server.counts.methods['tools/call'];
  const changed = (requestState.startsWith('A') ? 'B' : 'A') + requestState.slice(1);
  for (const state of [changed, requestState + 'A', requestState.slice(0, -1)]) {
    await assert.rejects(retry(c, 'greet', ada, state), (error) => error.code === -32602 && /requestState/.test(error.message));
  }
  assert.equal(it.server.counts.methods['tools/call'], upstream);
});

test('a requestState of another call is refused', async (t) => {
  const c = await it.connect(t);
  const { requestState } = await c.call('greet', {}, manual);
  await assert.rejects(retry(c, 'everything', ada, requestState), (error) => error.code === -32602);
});

test('answers to what was not asked stay here', async (t) => {
  const c = await it.connect(t);
  const { requestState } = await c.call('greet', {}, manual);
  assert.equal(said(await retry(c, 'greet', { ...ada, other: ada.name }, requestState)), 'Hello, Ada');
  const { inputResponses } = it.server.counts.last.filter(({ method }) => method === 'tools/call').at(-1).params;
  assert.deepEqual(Object.keys(inputResponses), ['name']);
});
