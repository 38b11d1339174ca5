// What questions are to a client of either era: the same calls, the same answers, the same outcome.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { later, said } from './world.mjs';

export function questions(it) {
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
}
