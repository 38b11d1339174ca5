// The official TypeScript SDK v2 on both sides of a daemon with rules: the client gets what they leave.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metric } from '../peers/daemon.mjs';
import { modernClient } from '../peers/modern.mjs';
import { said, world } from './world.mjs';

const route = `
limits: {tools: {interview: {max_rounds: 3}}}
policy:
  rules:
    - name: a-name
      match: {tool: greet}
      accept: {content: {name: Rule}}
    - name: red
      match: {tool: order, fields: [colour]}
      accept: {content: {colour: red}}
    - name: more
      match: {tool: interview}
      accept: {content: {more: Rule}}
    - name: the-roots
      match: {tool: everything, method: roots/list}
      roots: [{uri: "file:///of/the/rule"}]
`;
const it = world({ route }, modernClient);
const toolCalls = () => it.server.counts.last.filter(({ method }) => method === 'tools/call');

test('a client that cannot be asked calls a tool that asks', async (t) => {
  const c = await it.connect(t, { capabilities: {} });
  assert.equal(said(await c.call('greet')), 'Hello, Rule');
});

test('of three asks a rule answers one, and the client the others', async (t) => {
  const c = await it.connect(t, { capabilities: { elicitation: {}, sampling: {} } });
  assert.equal(said(await c.call('everything')), 'something sampled 1');
  assert.deepEqual(c.asked.map(({ method }) => method).sort(), ['elicitation/create', 'sampling/createMessage']);
  const { inputResponses } = toolCalls().at(-1).params;
  assert.deepEqual(Object.keys(inputResponses).sort(), ['name', 'roots', 'word']);
  assert.equal(inputResponses.roots.roots[0].uri, 'file:///of/the/rule');
});

test('what the rule answered cannot be answered otherwise', async (t) => {
  const c = await it.connect(t);
  const { inputRequests, requestState } = await c.call('everything', {}, { allowInputRequired: true });
  assert.deepEqual(Object.keys(inputRequests).sort(), ['name', 'word']);
  const inputResponses = {
    name: { action: 'accept', content: { name: 'Ada' } },
    word: { role: 'assistant', model: 'none', content: { type: 'text', text: 'hello' } },
    roots: { roots: [{ uri: 'file:///of/the/client' }] },
  };
  const result = await c.client.request({ method: 'tools/call', params: { name: 'everything', arguments: {}, inputResponses, requestState } });
  assert.equal(said(result), 'Ada hello 1');
  assert.equal(toolCalls().at(-1).params.inputResponses.roots.roots[0].uri, 'file:///of/the/rule');
});

test('a round in the middle is answered here', async (t) => {
  const c = await it.connect(t);
  assert.equal(said(await c.call('order')), 'something red sampled');
  assert.deepEqual(c.asked.map(({ method }) => method), ['elicitation/create', 'sampling/createMessage']);
});

test('a server that never stops asking a rule is stopped, too', async (t) => {
  const before = await metric(it.proxy, 'mrtr_proxy_limit_trips_total', { limit: 'max_rounds' });
  const c = await it.connect(t);
  const calls = it.server.counts.methods['tools/call'];
  const result = await c.call('interview');
  assert.equal(result.isError, true);
  const { kind, limit, rounds } = result._meta['mrtr-proxy/failure'];
  assert.deepEqual({ kind, limit, rounds }, { kind: 'mrtr_round_limit', limit: 'max_rounds', rounds: 3 });
  assert.equal(it.server.counts.methods['tools/call'], calls + 3);
  assert.equal(c.asked.length, 0);
  assert.equal(await metric(it.proxy, 'mrtr_proxy_limit_trips_total', { limit: 'max_rounds' }), before + 1);
});
