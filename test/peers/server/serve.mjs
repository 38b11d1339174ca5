// A modern-only MCP server with the official TypeScript SDK v2. It refuses legacy traffic and counts what it should not see.
//
//   node serve.mjs [PORT]    serves http://127.0.0.1:PORT/mcp, with its counts at /counts
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { localhostHostValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, createRequestStateCodec, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { askingTools } from './asking.mjs';
import { prompts, resources } from './content.mjs';
import { Counts, inspect } from './guard.mjs';
import { plainTools } from './plain.mjs';
import { requiringPrompt, requiringTools } from './required.mjs';
import { roundTools } from './rounds.mjs';

const capabilities = {
  logging: {}, completions: {}, tools: { listChanged: true }, prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
};

/**
 * Serves on a port of this machine, 0 for any that is free. The returned object has the endpoint's url, the counts,
 * notify to announce changes, watched (the text of the resource that changes), cancelled, listens (how many are open), and
 * close.
 */
export async function serve(port = 0) {
  const world = { counts: new Counts(), watched: 'at first', cancelled: [], listens: 0, state: createRequestStateCodec({ key: randomBytes(32) }) };
  const handler = createMcpHandler(() => build(world), { legacy: 'reject', keepAliveMs: 5000 });
  const node = toNodeHandler(handler);
  const local = localhostHostValidation();
  const http = createServer(async (request, response) => {
    if (request.url === '/counts') return response.end(JSON.stringify(world.counts));
    if (!local(request, response)) return;
    const body = await whole(request);
    inspect(world.counts, request, body);
    try {
      const message = request.method === 'POST' ? JSON.parse(body) : undefined;
      if (message?.method === 'subscriptions/listen') listens(world, response);
      return await node(request, response, message);
    } catch (error) {
      response.destroy(error);
    }
  });
  await new Promise((listening) => http.listen(port, '127.0.0.1', listening));
  return Object.assign(world, {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    notify: handler.notify,
    async close() {
      await handler.close();
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  });
}

function listens(world, response) {
  world.listens++;
  response.once('close', () => world.listens--);
}

// One server a request: nothing but the world outlives it.
function build(world) {
  const server = new McpServer({ name: 'modern-only', version: '1.0.0' }, {
    capabilities, instructions: 'Everything here is for tests.', requestState: { verify: world.state.verify },
  });
  const tool = (name, description, inputSchema, handler) =>
    server.registerTool(name, { description, inputSchema: fromJsonSchema(inputSchema) }, handler);
  plainTools(tool);
  askingTools(tool);
  roundTools(tool, world);
  requiringTools(tool, world);
  resources(server, () => world.watched);
  prompts(server);
  requiringPrompt(server);
  server.server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }));
  return server;
}

async function whole(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve(Number(process.argv[2] ?? 0));
  console.log(server.url);
}
