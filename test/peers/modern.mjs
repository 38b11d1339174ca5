// A modern client with the official TypeScript SDK v2, pinned: it never falls back to a legacy revision.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { filled, roots, sampled } from './client.mjs';

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const usual = { elicitation: filled, sampling: () => sampled, roots: () => roots };
const methods = { elicitation: 'elicitation/create', sampling: 'sampling/createMessage', roots: 'roots/list' };

/**
 * Connects. answers may replace how elicitations, sampling and roots are answered; options go to the SDK's client. The
 * returned object has the SDK's client, call for tools, asked, and close.
 */
export async function modernClient(url, { capabilities = everything, answers = {}, options = {} } = {}) {
  const pinned = { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } }, ...options };
  const client = new Client({ name: 'modern-client', version: '1.0.0' }, pinned);
  const asked = [];
  for (const [kind, method] of Object.entries(methods)) {
    if (!capabilities[kind]) continue;
    client.setRequestHandler(method, async (request, ctx) => {
      asked.push(request);
      return (answers[kind] ?? usual[kind])(request.params, ctx);
    });
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    client,
    asked,
    call: (name, args = {}, more = {}) => client.callTool({ name, arguments: args }, more),
    close: () => client.close(),
  };
}
