import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ElicitationCompleteNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { metric } from '../peers/daemon.mjs';
import { questions } from './questions.mjs';
import { said, until, world } from './world.mjs';

const it = world();

questions(it);

test('a link is consented to, waited for, and told to be complete', async (t) => {
  const c = await it.connect(t);
  const complete = [];
  c.client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => void complete.push(params.elicitationId));
  assert.equal(said(await c.call('connect')), 'connected');
  assert.equal(c.asked.length, 1);
  const { mode, url, elicitationId } = c.asked[0].params;
  assert.deepEqual([mode, url], ['url', 'https://login.example/start']);
  await until('completion', () => complete.length);
  assert.deepEqual(complete, [elicitationId]);
});

test('a link is declined', async (t) => {
  const c = await it.connect(t, { answers: { elicitation: () => ({ action: 'decline' }) } });
  assert.equal(said(await c.call('connect')), 'not connected: decline');
});

test("the client's model is asked", async (t) => {
  const c = await it.connect(t);
  assert.equal(said(await c.call('test_sampling', { prompt: 'Say something' })), 'LLM response: sampled');
  assert.equal(c.asked[0].params.messages[0].content.text, 'Say something');
});

test('the roots are asked for', async (t) => {
  const c = await it.connect(t);
  assert.equal(said(await c.call('workspace')), 'file:///srv/work');
});

test('an answer that does not fit the form is not sent', async (t) => {
  const c = await it.connect(t, { answers: { elicitation: () => ({ action: 'accept', content: { name: 7 } }) } });
  const result = await c.call('greet');
  assert.equal(result.isError, true);
  assert.equal(result._meta['mrtr-proxy/failure'].reason, 'invalid_response');
});

test("a client's error fails the call", async (t) => {
  const c = await it.connect(t, {
    answers: {
      sampling: () => {
        throw new Error('no model today');
      },
    },
  });
  const result = await c.call('test_sampling', { prompt: 'x' });
  assert.equal(result.isError, true);
  assert.equal(result._meta['mrtr-proxy/failure'].reason, 'handler_error');
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
  await assert.rejects(c.call('greet'), (error) => error.code === -32021 && /elicitation/.test(error.message));
});
