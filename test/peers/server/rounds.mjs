// Tools for tests of the round trip: every kind of ask, several rounds, state, progress, cancellation.
import { acceptedContent, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { sampling, spoken } from './asking.mjs';
import { object, pause, text } from './text.mjs';

const string = { type: 'string' };
const form = (message, properties) => inputRequired.elicit({ message, requestedSchema: object(properties, Object.keys(properties)) });

/** Registers them. world has the codec of requestState, and takes down who was cancelled. */
export function roundTools(tool, world) {
  tool('add', 'adds two numbers', object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']), ({ a, b }) => text(String(a + b)));
  tool('region', 'has an argument that is mirrored in a header', object({ region: { ...string, 'x-mcp-header': 'Region' } }, ['region']),
    ({ region }, ctx) => text(`${region} ${ctx.http?.req?.headers.get('mcp-param-region')}`));
  tool('greet', 'asks for a name', object({}), (_, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'name');
    if (answer.kind === 'missing') return inputRequired({ inputRequests: { name: form('What is your name?', { name: string }) } });
    return text(answer.action === 'accept' ? `Hello, ${answer.content.name}` : `no name: ${answer.action}`);
  });
  tool('workspace', 'asks for the roots', object({}), (_, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'roots');
    if (answer.kind !== 'roots') return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    return text(answer.roots.map((root) => root.uri).join(' '));
  });
  link(tool, world);
  several(tool, world);
  long(tool, world);
}

// Consent to a link is not the end of what happens there: the server waits, in rounds without asks, until it is done.
function link(tool, { state }) {
  tool('connect', 'asks to open a link, then waits', object({}), async (_, ctx) => {
    const at = ctx.mcpReq.requestState();
    if (at === undefined) {
      const open = inputRequired.elicitUrl({ message: 'Please sign in', url: 'https://login.example/start' });
      return inputRequired({ inputRequests: { open }, requestState: await state.mint({ polls: 0 }) });
    }
    if (at.polls === 0) {
      const answer = inputResponse(ctx.mcpReq.inputResponses, 'open');
      if (answer.action !== 'accept') return text(`not connected: ${answer.action}`);
    }
    if (at.polls < 2) return inputRequired({ requestState: await state.mint({ polls: at.polls + 1 }) });
    return text('connected');
  });
}

function several(tool, { state }) {
  tool('order', 'asks for a size, then a colour, then a word, each with state', object({}), async (_, ctx) => {
    const { mcpReq } = ctx;
    const so = { ...mcpReq.requestState() };
    if (!so.asked) {
      return inputRequired({ inputRequests: { size: form('Size?', { size: string }) }, requestState: await state.mint({ asked: 'size' }) });
    }
    if (so.asked === 'size') {
      const { size } = acceptedContent(mcpReq.inputResponses, 'size');
      return inputRequired({ inputRequests: { colour: form('Colour?', { colour: string }) }, requestState: await state.mint({ asked: 'colour', size }) });
    }
    if (so.asked === 'colour') {
      const { colour } = acceptedContent(mcpReq.inputResponses, 'colour');
      return inputRequired({ inputRequests: { word: sampling('A word, please') }, requestState: await state.mint({ ...so, asked: 'word', colour }) });
    }
    const word = spoken(inputResponse(mcpReq.inputResponses, 'word').result);
    return text(`${so.size} ${so.colour} ${word}`);
  });
  tool('everything', 'asks for a name, a word and the roots at once', object({}), async (_, ctx) => {
    const { mcpReq } = ctx;
    const name = acceptedContent(mcpReq.inputResponses, 'name')?.name;
    const word = inputResponse(mcpReq.inputResponses, 'word');
    const roots = inputResponse(mcpReq.inputResponses, 'roots');
    if (name && word.kind === 'sampling' && roots.kind === 'roots') return text(`${name} ${spoken(word.result)} ${roots.roots.length}`);
    return inputRequired({
      inputRequests: { name: form('Name?', { name: string }), word: sampling('A word?'), roots: inputRequired.listRoots() },
      requestState: await state.mint({ of: 'everything' }),
    });
  });
  tool('interview', 'never stops asking', object({}), () =>
    inputRequired({ inputRequests: { more: form('And then?', { more: string }) } }));
}

function long(tool, world) {
  tool('walk', 'tells how far it is, before and after a question', object({}), async (_, ctx) => {
    const { mcpReq } = ctx;
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message: `step ${progress}` } });
      await pause(20);
    }
    if (acceptedContent(mcpReq.inputResponses, 'on')) return text('there');
    return inputRequired({ inputRequests: { on: form('Go on?', { yes: { type: 'boolean' } }) } });
  });
  tool('sleep', 'runs until it is cancelled', object({}), async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    await new Promise((done) => {
      if (mcpReq.signal.aborted) return done();
      mcpReq.signal.addEventListener('abort', done);
    });
    world.cancelled.push('sleep');
    return text('cancelled');
  });
}
