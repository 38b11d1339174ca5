import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ElicitationCompleteNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { metric } from '../peers/daemon.mjs';
import { later, said, until, world } from './world.mjs';

const it = world();

test('a form is asked for, and its answer goes up', async (t) => {
  const c = await it.connect(t, { answers: { elicitation: () => ({ action: 'accept', content: { name: 'Ada' } }) } });
  assert.equal(said(await c.call('greet')), 'Hello, Ada');
  const { params } = c.asked[0];
  assert.equal(params.message, 'What is your name?');
  assert.deepEqual(params.requestedSchema.required, ['name']);
});

for (const action of ['decline', 'cancel']) {
  test(`a form is answered with ${action}`, async (t) => {
    const c = await it.connect(t, { answers: { elicitation: () => ({ action }) } });
    assert.equal(said(await c.call('greet')), `no name: ${action}`);
  });
}

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

test('three rounds, each with state', async (t) => {
  const values = { size: 'small', colour: 'red' };
  const c = await it.connect(t, {
    answers: {
      elicitation: ({ requestedSchema }) => {
        const [field] = Object.keys(requestedSchema.properties);
        return { action: 'accept', content: { [field]: values[field] } };
      },
    },
  });
  assert.equal(said(await c.call('order')), 'small red sampled');
  assert.deepEqual(c.asked.map(({ method }) => method), ['elicitation/create', 'elicitation/create', 'sampling/createMessage']);
});

test('three asks of one round are open at the same time', async (t) => {
  const all = later();
  let open = 0;
  const held = (answer) => async () => {
    if (++open === 3) all.resolve();
    await all.promise;
    return answer;
  };
  const c = await it.connect(t, {
    answers: {
      elicitation: held({ action: 'accept', content: { name: 'Ada' } }),
      sampling: held({ role: 'assistant', model: 'none', content: { type: 'text', text: 'hello' } }),
      roots: held({ roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] }),
    },
  });
  assert.equal(said(await c.call('everything')), 'Ada hello 2');
});

test('two calls ask at the same time, and each gets its own answer', async (t) => {
  const names = ['Ada', 'Grace'];
  const c = await it.connect(t, { answers: { elicitation: () => ({ action: 'accept', content: { name: names.shift() } }) } });
  const both = await Promise.all([c.call('greet'), c.call('greet')]);
  assert.deepEqual(both.map(said).sort(), ['Hello, Ada', 'Hello, Grace']);
});

test('a prompt and a resource ask', async (t) => {
  const c = await it.connect(t);
  const prompt = await c.client.getPrompt({ name: 'greeting' });
  assert.equal(prompt.messages[0].content.text, 'Greet something');
  const letter = await c.client.readResource({ uri: 'test://letter' });
  assert.equal(letter.contents[0].text, 'Dear something');
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
