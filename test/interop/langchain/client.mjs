// LangChain's adapters: lists the tools and calls one; a tool that asks fails, as the adapters answer no questions.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

const client = new MultiServerMCPClient({ mcpServers: { modern: { transport: 'http', url: process.argv[2] } } });
const tools = await client.getTools();
const call = (name, args) => tools.find((tool) => tool.name === name).invoke(args);
console.log(`add: ${(await call('add', { a: 2, b: 3 })).text}`);
console.log(`greet: ${await call('greet', {}).then(({ text }) => text, (error) => `fails: ${error.message}`)}`);
await client.close();
