// Tools that cannot answer before the client has: each hands out input_required and is called again.
import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { object, text } from './text.mjs';

const string = { type: 'string' };

/** Registers the tools that the conformance suite expects to ask. */
export function askingTools(tool) {
  tool('test_sampling', "asks the client's model", object({ prompt: string }, ['prompt']), ({ prompt }, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'model');
    if (answer.kind === 'sampling') return text(`LLM response: ${spoken(answer.result)}`);
    return inputRequired({ inputRequests: { model: sampling(prompt) } });
  });
  const form = (name, description, said, inputSchema, params) =>
    tool(name, description, inputSchema, (args, ctx) => {
      const answer = inputResponse(ctx.mcpReq.inputResponses, 'person');
      if (answer.kind === 'elicit') return text(`${said}action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
      return inputRequired({ inputRequests: { person: inputRequired.elicit(params(args)) } });
    });
  form('test_elicitation', 'asks the person', 'User response: ', object({ message: string }, ['message']), ({ message }) => ({
    message,
    requestedSchema: object(
      { username: { ...string, description: "User's response" }, email: { ...string, description: "User's email address" } },
      ['username', 'email'],
    ),
  }));
  const done = 'Elicitation completed: ';
  form('test_elicitation_sep1034_defaults', 'asks with defaults', done, object({}), () => ({
    message: 'Is this right?', requestedSchema: object(defaults),
  }));
  form('test_elicitation_sep1330_enums', 'asks with choices', done, object({}), () => ({
    message: 'Which ones?', requestedSchema: object(choices),
  }));
}

/** A sampling ask with one message of the user's. */
export const sampling = (prompt, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens });

/** What a sampling answer says. */
export const spoken = ({ content }) => [content].flat().find((part) => part.type === 'text')?.text;

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const options = ['option1', 'option2', 'option3'];
const titled = ['First', 'Second', 'Third'];
const choices = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled.map((title, i) => ({ const: `value${i + 1}`, title: `${title} Option` })) },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled.map((title, i) => ({ const: `value${i + 1}`, title: `${title} Choice` })) } },
};
