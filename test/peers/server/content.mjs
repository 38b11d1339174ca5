// Resources and prompts that the conformance suite reads, and one of each that asks first.
import { acceptedContent, fromJsonSchema, inputRequired, ResourceTemplate } from '@modelcontextprotocol/server';
import { dot, embedded, image, object } from './text.mjs';

const string = { type: 'string' };

/** Registers the resources. watched tells the present text of test://watched-resource. */
export function resources(server, watched) {
  const fixed = (name, uri, mimeType, contents) =>
    server.registerResource(name, uri, { description: name, mimeType }, () => ({ contents: [{ uri, mimeType, ...contents() }] }));
  fixed('a text', 'test://static-text', 'text/plain', () => ({ text: 'This is the content of the static text resource.' }));
  fixed('a picture', 'test://static-binary', 'image/png', () => ({ blob: dot }));
  fixed('what changes', 'test://watched-resource', 'text/plain', () => ({ text: watched() }));
  server.registerResource(
    'by number', new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'data by number', mimeType: 'application/json' },
    (uri, { id }) => {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(data) }] };
    },
  );
  server.registerResource('a letter', 'test://letter', { description: 'asks who reads it', mimeType: 'text/plain' }, (uri, ctx) => {
    const who = acceptedContent(ctx.mcpReq.inputResponses, 'who')?.name;
    if (who) return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: `Dear ${who}` }] };
    return asksFor('who', 'Who reads this?', 'name');
  });
}

/** Registers the prompts. */
export function prompts(server) {
  const user = (content) => ({ role: 'user', content });
  const says = (value) => user({ type: 'text', text: value });
  const prompt = (name, description, args, messages) => {
    const required = Object.keys(args);
    const config = { description, ...(required.length && { argsSchema: fromJsonSchema(object(args, required)) }) };
    server.registerPrompt(name, config, required.length ? (given) => ({ messages: messages(given) }) : () => ({ messages: messages() }));
  };
  prompt('test_simple_prompt', 'a text', {}, () => [says('This is a simple prompt for testing.')]);
  prompt('test_prompt_with_arguments', 'a text with two values', { arg1: string, arg2: string }, ({ arg1, arg2 }) => [
    says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ]);
  prompt('test_prompt_with_embedded_resource', 'a resource and a text', { resourceUri: string }, ({ resourceUri }) => [
    user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
    says('Please process the embedded resource above.'),
  ]);
  prompt('test_prompt_with_image', 'a picture and a text', {}, () => [user(image), says('Please analyze the image above.')]);
  server.registerPrompt('greeting', { description: 'asks whom to greet' }, (ctx) => {
    const whom = acceptedContent(ctx.mcpReq.inputResponses, 'whom')?.name;
    return whom ? { messages: [says(`Greet ${whom}`)] } : asksFor('whom', 'Whom?', 'name');
  });
}

const asksFor = (key, message, field) =>
  inputRequired({ inputRequests: { [key]: inputRequired.elicit({ message, requestedSchema: object({ [field]: string }, [field]) }) } });
