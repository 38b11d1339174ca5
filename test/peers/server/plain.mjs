// Tools that answer at once, or on their way: what the conformance suite calls by these names.
import { embedded, image, object, pause, silence, text } from './text.mjs';

/** Registers the tools that ask nothing. tool(name, description, inputSchema, handler) adds one. */
export function plainTools(tool) {
  const fixed = (name, description, content) => tool(name, description, object({}), () => ({ content }));
  fixed('test_simple_text', 'answers a text', text('This is a simple text response for testing.').content);
  fixed('test_image_content', 'answers an image', [image]);
  fixed('test_audio_content', 'answers a sound', [{ type: 'audio', data: silence, mimeType: 'audio/wav' }]);
  fixed('test_embedded_resource', 'answers a resource', [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ]);
  fixed('test_multiple_content_types', 'answers three kinds of content', [
    { type: 'text', text: 'Multiple content types test:' },
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ]);
  tool('test_error_handling', 'fails always', object({}), () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  tool('test_reconnection', 'takes its time', object({}), async () => {
    await pause(1200);
    return text('here it is');
  });
  tool('json_schema_2020_12_tool', 'has a schema with what JSON Schema 2020-12 offers', contact, () => text('fine'));
  onTheWay(tool);
}

function onTheWay(tool) {
  tool('test_tool_with_logging', 'logs three times', object({}), async (_, ctx) => {
    const lines = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
    for (const line of lines) {
      await ctx.mcpReq.log('info', line);
      await pause(50);
    }
    return text('logged three times');
  });
  tool('test_tool_with_progress', 'tells three times how far it is', object({}), async (_, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      }
      await pause(50);
    }
    return text('all the way');
  });
}

const contact = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...object({
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  }),
  $defs: { address: { $anchor: 'addressDef', ...object({ street: { type: 'string' }, city: { type: 'string' } }) } },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
