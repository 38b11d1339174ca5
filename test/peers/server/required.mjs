// What the suite's modern scenarios call by these names: tools that ask in every shape, and a prompt that does.
import { acceptedContent, CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { sampling, spoken } from './asking.mjs';
import { object, text } from './text.mjs';

const string = { type: 'string' };
const form = (message, properties) => inputRequired.elicit({ message, requestedSchema: object(properties, Object.keys(properties)) });
const name = (message) => form(message, { name: string });
const asks = (inputRequests, requestState) => inputRequired({ inputRequests, ...(requestState && { requestState }) });

/** Registers the tools. world has the codec of requestState, and announces changes. */
export function requiringTools(tool, world) {
  const add = (called, description, handler) => tool(called, description, object({}), (_, { mcpReq }) => handler(mcpReq));
  once(add);
  stated(add, world.state);
  add('test_missing_capability', 'asks the model of any client', () => asks({ model: sampling('Are you there?') }));
  add('test_streaming_elicitation', 'logs, then asks', async (req) => {
    await req.log('info', 'about to ask');
    const who = acceptedContent(req.inputResponses, 'who');
    return who ? text(`it is ${who.name}`) : asks({ who: name('Who is it?') });
  });
  add('test_logging_tool', 'logs', async (req) => {
    for (const line of ['one', 'two']) await req.log('info', line);
    return text('logged');
  });
  add('test_trigger_tool_change', 'announces other tools', () => (world.notify.toolsChanged(), text('announced')));
  add('test_trigger_prompt_change', 'announces other prompts', () => (world.notify.promptsChanged(), text('announced')));
}

function once(add) {
  add('test_input_required_result_elicitation', 'asks for a name', (req) => {
    const answer = acceptedContent(req.inputResponses, 'user_name');
    return answer ? text(`Hello, ${answer.name}!`) : asks({ user_name: name('What is your name?') });
  });
  add('test_input_required_result_sampling', 'asks the model', (req) => {
    const answer = inputResponse(req.inputResponses, 'capital_question');
    return answer.kind === 'sampling' ? text(spoken(answer.result)) : asks({ capital_question: sampling('What is the capital of France?') });
  });
  add('test_input_required_result_list_roots', 'asks for the roots', (req) => {
    const answer = inputResponse(req.inputResponses, 'client_roots');
    return answer.kind === 'roots' ? text(answer.roots.map((root) => root.uri).join(' ')) : asks({ client_roots: inputRequired.listRoots() });
  });
  add('test_input_required_result_capabilities', 'asks for whatever the client declares', (req) => {
    const can = req.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
    return asks({
      ...(can.sampling && { word: sampling('A word?') }),
      ...(can.elicitation && { who: name('Who are you?') }),
      ...(can.roots && { where: inputRequired.listRoots() }),
    });
  });
}

function stated(add, state) {
  for (const called of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    add(called, 'asks for consent, with state', async (req) => {
      const answer = acceptedContent(req.inputResponses, 'confirm');
      if (req.requestState()?.step === 1 && answer) return text(`state-ok, ${answer.ok}`);
      return asks({ confirm: form('Do you agree?', { ok: { type: 'boolean' } }) }, await state.mint({ step: 1 }));
    });
  }
  // One ask more than the suite wants, for those runs in which a rule answers it.
  add('test_input_required_result_multiple_inputs', 'asks for everything at once, with state', async (req) => {
    const { inputResponses } = req;
    const [user, sender] = ['user_name', 'sender'].map((key) => acceptedContent(inputResponses, key)?.name);
    const greeting = inputResponse(inputResponses, 'greeting');
    const roots = inputResponse(inputResponses, 'client_roots');
    if (req.requestState()?.step === 1 && user && sender && greeting.kind === 'sampling' && roots.kind === 'roots') {
      return text(`${spoken(greeting.result)} ${user}, from ${sender} at ${roots.roots[0].uri}`);
    }
    const all = { user_name: name('What is your name?'), sender: name('Who is it from?'), greeting: sampling('A greeting?', 50), client_roots: inputRequired.listRoots() };
    return asks(all, await state.mint({ step: 1 }));
  });
  add('test_input_required_result_multi_round', 'asks for a name, then for a colour', async (req) => {
    const so = req.requestState() ?? { step: 0 };
    const user = acceptedContent(req.inputResponses, 'step1')?.name;
    if (so.step === 0 || (so.step === 1 && !user)) return asks({ step1: name('Step 1: your name?') }, await state.mint({ step: 1 }));
    const color = acceptedContent(req.inputResponses, 'step2')?.color;
    if (so.step === 2 && color) return text(`${so.user} likes ${color}`);
    const step2 = form('Step 2: your favourite colour?', { color: string });
    return asks({ step2 }, await state.mint({ step: 2, user: user ?? so.user }));
  });
}

/** Registers the prompt. */
export function requiringPrompt(server) {
  server.registerPrompt('test_input_required_result_prompt', { description: 'asks for context' }, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_context')?.context;
    if (!given) return asks({ user_context: form('What is it about?', { context: string }) });
    return { messages: [{ role: 'user', content: { type: 'text', text: `About ${given}` } }] };
  });
}
