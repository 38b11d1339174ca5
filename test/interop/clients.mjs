// The clients, and what each can be made to do without a model. A step returns nothing, or throws.
import { expect } from './expect.mjs';

const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const adds = ['add: 5'];
const asked = ['add: 5', 'greet: Hello, Ada'];

// For clients that cannot be asked: a rule answers in their place.
export const rule = `policy:
  rules:
    - name: a-name
      match: {method: elicitation/create, mode: form, tool: greet}
      accept: {content: {name: Rule}}`;

/**
 * name is the folder with the package. Each step gets url, and run: a program of the package with arguments; its standard
 * input, if any, is a list of {text, after}. The steps of ruled run with a rule that answers the question of greet.
 */
export const clients = [
  {
    name: 'claude-code',
    steps: {
      'mcp add, mcp list': async ({ url, run }) => {
        await run('claude', ['mcp', 'add', '--transport', 'http', 'modern', url]);
        expect(await run('claude', ['mcp', 'list']), [`modern: ${url} (HTTP)`, 'Connected']);
        await run('claude', ['mcp', 'remove', 'modern']);
      },
    },
  },
  {
    name: 'gemini-cli',
    steps: {
      'mcp add, mcp list': async ({ url, run }) => {
        await run('gemini', ['mcp', 'add', '--transport', 'http', '--scope', 'user', 'modern', url]);
        expect(await run('gemini', ['mcp', 'list']), ['Connected'], ['Disconnected']);
      },
    },
  },
  {
    name: 'inspector',
    steps: {
      'tools/list': async ({ url, run }) => expect(await run('mcp-inspector', inspect(url, 'tools/list')), ['test_simple_text', 'inputSchema']),
      'tools/call': async ({ url, run }) =>
        expect(await run('mcp-inspector', [...inspect(url, 'tools/call'), '--tool-name', 'add', '--tool-arg', 'a=2', 'b=3']), ['"text": "5"']),
      'resources/list, prompts/list': async ({ url, run }) => {
        expect(await run('mcp-inspector', inspect(url, 'resources/list')), ['test://static-text']);
        expect(await run('mcp-inspector', inspect(url, 'prompts/list')), ['test_simple_prompt']);
      },
    },
    ruled: {
      'tools/call, which asks': async ({ url, run }) =>
        expect(await run('mcp-inspector', [...inspect(url, 'tools/call'), '--tool-name', 'greet']), ['Hello, Rule']),
    },
  },
  {
    name: 'mcp-remote',
    steps: {
      'a stdio host calls a tool and answers its question': async ({ url, run }) => {
        const input = [
          { text: line({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'host', version: '1' } } }), after: 'Proxy established' },
          { text: line({ method: 'notifications/initialized' }), after: '"serverInfo"' },
          { text: line({ id: 1, method: 'tools/call', params: { name: 'greet' } }) },
          { text: (printed) => line({ id: idOf(printed), result: { action: 'accept', content: { name: 'Ada' } } }), after: '"elicitation/create"' },
          { text: '', after: 'Hello, Ada' },
        ];
        expect(await run('mcp-remote', [url, '--transport', 'http-only'], { input }), ['Hello, Ada']);
      },
    },
  },
  { name: 'ai-sdk', steps: { 'tools, and a question': async ({ url, run }) => expect(await run('node', ['client.mjs', url]), asked) } },
  {
    name: 'langchain',
    steps: {
      'tools; a question fails, as it cannot be asked': async ({ url, run }) =>
        expect(await run('node', ['client.mjs', url]), [...adds, 'greet: fails', 'elicitation']),
    },
    ruled: { 'tools, and a question': async ({ url, run }) => expect(await run('node', ['client.mjs', url]), [...adds, 'greet: Hello, Rule']) },
  },
  {
    name: 'mcp-go',
    steps: {
      'tools, and a question': async ({ url, run }) => expect(await run('mcp-go-client', [url]), asked),
      'the same, pinned to 2025-11-25': async ({ url, run }) => expect(await run('mcp-go-client', [url, '2025-11-25']), asked),
    },
  },
];

const inspect = (url, method) => ['--cli', url, '--transport', 'http', '--method', method];

// The host reads the question off its standard output, one message a line.
function idOf(printed) {
  for (const text of printed.split('\n')) {
    if (text.startsWith('{') && text.includes('"elicitation/create"')) return JSON.parse(text).id;
  }
  throw new Error('no question on a line of its own');
}
