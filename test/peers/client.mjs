// A legacy client with the official TypeScript SDK v1, which knows no revision after 2025-11-25.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema, CreateMessageRequestSchema, ElicitRequestSchema, LATEST_PROTOCOL_VERSION, ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

if (LATEST_PROTOCOL_VERSION !== '2025-11-25') throw new Error(`the legacy SDK asks for ${LATEST_PROTOCOL_VERSION}`);

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

/**
 * Connects. answers may replace how elicitations, sampling and roots are answered; options go to the transport. The
 * returned object has the SDK's client and transport, call for tools (the result unchecked), asked, and close.
 */
export async function legacyClient(url, { capabilities = everything, answers = {}, options = {} } = {}) {
  const client = new Client({ name: 'legacy-client', version: '1.0.0' }, { capabilities });
  const asked = [];
  const answer = (schema, kind, usual) =>
    client.setRequestHandler(schema, async (request, extra) => {
      asked.push(request);
      return (answers[kind] ?? usual)(request.params, extra);
    });
  if (capabilities.elicitation) answer(ElicitRequestSchema, 'elicitation', filled);
  if (capabilities.sampling) answer(CreateMessageRequestSchema, 'sampling', () => sampled);
  if (capabilities.roots) answer(ListRootsRequestSchema, 'roots', () => roots);
  const transport = new StreamableHTTPClientTransport(new URL(url), options);
  await client.connect(transport);
  return {
    client,
    transport,
    asked,
    call: (name, args = {}, more = {}) => client.request({ method: 'tools/call', params: { name, arguments: args } }, CallToolResultSchema, more),
    async close() {
      await transport.terminateSession();
      await client.close();
    },
  };
}

/** How a model that says one word answers. */
export const sampled = { role: 'assistant', model: 'none', stopReason: 'endTurn', content: { type: 'text', text: 'sampled' } };

/** The roots of somebody with one folder. */
export const roots = { roots: [{ uri: 'file:///srv/work', name: 'work' }] };

/** Accepts a form with its defaults, or with values of the right type, and a link as it is. */
export function filled({ requestedSchema }) {
  if (!requestedSchema) return { action: 'accept' };
  const content = {};
  for (const [name, field] of Object.entries(requestedSchema.properties)) content[name] = field.default ?? some(field);
  return { action: 'accept', content };
}

function some({ type, enum: choices, oneOf, minimum = 1 }) {
  switch (type) {
    case 'boolean': return true;
    case 'integer': case 'number': return minimum;
    case 'array': return [];
    default: return choices?.[0] ?? oneOf?.[0].const ?? 'something';
  }
}
