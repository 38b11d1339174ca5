// That what clients hear is held against the official schemas, which every file here does when its tests are over.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaOf } from '../peers/schema.mjs';
import { held } from './heard.mjs';
import { until, world } from './world.mjs';

const it = world();

test('everything that a legacy client can hear is heard, and fits 2025-11-25', async (t) => {
  const c = await it.connect(t);
  await c.client.setLoggingLevel('debug');
  await c.client.ping();
  await c.client.listTools();
  await c.client.listPrompts();
  await c.client.listResources();
  await c.client.listResourceTemplates();
  await c.call('everything');
  await c.call('connect');
  await c.call('test_tool_with_logging');
  await c.call('walk', {}, { onprogress: () => {} });
  await c.client.getPrompt({ name: 'greeting' });
  await c.client.readResource({ uri: 'test://letter' });
  await assert.rejects(c.client.readResource({ uri: 'test://nothing' }));
  await until('news', () => (it.server.notify.toolsChanged(), held(it.tap.seen).kinds['2025-11-25 notifications/tools/list_changed']));
  const { faults, kinds } = held(it.tap.seen);
  assert.deepEqual(faults, []);
  for (const kind of [
    'result of initialize', 'result of ping', 'result of logging/setLevel', 'result of tools/list', 'result of prompts/list',
    'result of resources/list', 'result of resources/templates/list', 'result of tools/call', 'result of prompts/get',
    'result of resources/read', 'error', 'elicitation/create', 'sampling/createMessage', 'roots/list', 'notifications/message',
    'notifications/progress', 'notifications/elicitation/complete',
  ]) assert.ok(kinds[`2025-11-25 ${kind}`], `no ${kind} among ${Object.keys(kinds)}`);
});

test('what does not fit is found', () => {
  const entry = (heard) => ({ headers: { 'mcp-protocol-version': '2025-11-25' }, messages: [{ id: 1, method: 'tools/call' }], heard: [heard], broken: [] });
  for (const heard of [
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, result: { content: [], structuredContent: [1] } },
    { jsonrpc: '2.0', id: 1, result: { content: [], resultType: 'complete' } },
    { jsonrpc: '2.0', id: 1, result: { content: [], _meta: { 'io.modelcontextprotocol/serverInfo': {} } } },
    { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'https://a.example' } },
    { jsonrpc: '2.0', id: 'q', method: 'server/discover' },
    { jsonrpc: '2.0', id: 1, error: { code: 1 } },
  ]) assert.notDeepEqual(held([entry(heard)]).faults, [], JSON.stringify(heard));
  const fits = { jsonrpc: '2.0', id: 1, result: { content: [] } };
  assert.deepEqual(held([entry(fits)]).faults, []);
  assert.notDeepEqual(held([{ ...entry(fits), headers: { 'mcp-protocol-version': '2026-07-28' } }]).faults, [], 'no resultType');
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'gone' } };
  assert.deepEqual(held([{ ...entry(refusal), status: 404 }]).faults, []);
  assert.notDeepEqual(held([{ ...entry(refusal), status: 200 }]).faults, [], 'no id');
  assert.notDeepEqual(held([{ ...entry(fits), headers: {} }]).faults, [], 'no revision');
  assert.notDeepEqual(held([{ ...entry(fits), broken: ['{'] }]).faults, [], 'no JSON');
});

for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
  test(`the suite has the schema of ${revision}`, () => {
    assert.deepEqual(schemaOf(revision).faults({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }), []);
  });
}
