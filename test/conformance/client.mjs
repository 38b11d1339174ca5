// The legacy client of the suite's client scenarios, with the official TypeScript SDK v1, through a daemon of its own.
// The suite starts it with the address of a modern mock server, which checks what arrives.
import { daemon } from '../peers/daemon.mjs';
import { legacyClient } from '../peers/client.mjs';

const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT || '{}');

/** What the client does in each scenario; the suite looks on from the other side. */
const plays = {
  'tools_call': async (c) => expect('5', said(await c.call('add_numbers', { a: 2, b: 3 }))),
  'request-metadata': (c) => c.client.ping(),
  'sep-2322-client-request-state': async (c) => {
    const [echo, unrelated] = await Promise.all([c.call('test_mrtr_echo_state'), c.call('test_mrtr_unrelated')]);
    expect('echo-state-ok', said(echo));
    expect('unrelated-ok', said(unrelated));
    expect('no-state-ok', said(await c.call('test_mrtr_no_state')));
    expect('no-result-type-test-ok', said(await c.call('test_mrtr_no_result_type')));
  },
  'http-standard-headers': async (c) => {
    for (const { name } of c.tools) await c.call(name);
    for (const { uri } of (await c.client.listResources()).resources) await c.client.readResource({ uri });
    for (const { name } of (await c.client.listPrompts()).prompts) await c.client.getPrompt({ name });
  },
  'http-custom-headers': async (c) => {
    for (const { name, arguments: args } of context.toolCalls) await c.call(name, args);
  },
  'http-invalid-tool-headers': async (c) => {
    for (const { name } of c.tools) await c.call(name, { region: 'eu', value: 'v' });
  },
  'json-schema-ref-no-deref': () => {},
  'json-schema-2020-12-preservation': async (c) => {
    const { inputSchema } = c.tools.find((tool) => tool.name === 'json_schema_2020_12_tool');
    await c.call('json_schema_echo', { schema: inputSchema });
  },
};

const said = (result) => result.content[0].text;

function expect(part, whole) {
  if (!whole?.includes(part)) throw new Error(`${JSON.stringify(whole)} without ${part}`);
}

const proxy = await daemon(process.argv.at(-1));
try {
  const c = await legacyClient(proxy.url);
  const list = await c.client.listTools();
  for (const modern of ['resultType', 'ttlMs', 'cacheScope']) if (modern in list) throw new Error(`tools/list has ${modern}`);
  await plays[scenario]({ ...c, tools: list.tools });
  await c.close();
} finally {
  await proxy.stop();
}
