// The AI SDK's MCP client: lists the tools, calls one, and answers the question of another.
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';

const client = await createMCPClient({ transport: { type: 'http', url: process.argv[2] }, capabilities: { elicitation: {} } });
client.onElicitationRequest(ElicitationRequestSchema, async () => ({ action: 'accept', content: { name: 'Ada' } }));
const tools = await client.tools();
const call = async (name, args) => (await tools[name].execute(args, { toolCallId: name, messages: [] })).content[0].text;
console.log(`add: ${await call('add', { a: 2, b: 3 })}`);
console.log(`greet: ${await call('greet', {})}`);
await client.close();
