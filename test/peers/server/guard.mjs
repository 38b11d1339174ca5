// What arrives, counted: a modern server sees modern traffic only.
const MODERN = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const named = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };
const gone = new Set([
  'initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe',
  'notifications/initialized', 'notifications/roots/list_changed', 'notifications/cancelled',
]);

/** Counts requests by method, and what no modern client sends as a violation. */
export class Counts {
  methods = {};
  violations = {};
  last = []; // the newest requests, for those who look into a failure

  request(method) {
    this.methods[method] = (this.methods[method] ?? 0) + 1;
  }

  violation(what, detail) {
    const seen = (this.violations[what] ??= { times: 0, last: '' });
    seen.times++;
    seen.last = String(detail).slice(0, 200);
  }

  get clean() {
    return Object.keys(this.violations).length === 0;
  }
}

/** Looks at one request before the SDK has it. */
export function inspect(counts, request, body) {
  const { headers, method: verb } = request;
  if (verb !== 'POST') return counts.violation(`HTTP ${verb}`, request.url);
  for (const name of ['mcp-session-id', 'last-event-id']) if (name in headers) counts.violation(`header ${name}`, headers[name]);
  let message;
  try {
    message = JSON.parse(body);
  } catch {
    return counts.violation('no JSON', body);
  }
  counts.last.push(message);
  if (counts.last.length > 50) counts.last.shift();
  if (Array.isArray(message) || !message.method) return counts.violation('no request', body);
  counts.request(message.method);
  if (gone.has(message.method)) counts.violation(`method ${message.method}`, body);
  headersMatch(counts, headers, message);
  envelope(counts, message);
}

// The SDK refuses some of these by itself; a refusal the proxy recovers from is a fault all the same.
function headersMatch(counts, headers, { method, params = {} }) {
  if (headers['mcp-method'] !== method) counts.violation('Mcp-Method', headers['mcp-method']);
  const member = named[method];
  if (member && decoded(headers['mcp-name']) !== params[member]) counts.violation('Mcp-Name', headers['mcp-name']);
  if (headers['mcp-protocol-version'] !== MODERN) counts.violation('MCP-Protocol-Version', headers['mcp-protocol-version']);
  if (headers['content-type'] !== 'application/json') counts.violation('Content-Type', headers['content-type']);
}

function decoded(value) {
  const wrapped = /^=\?base64\?(.*)\?=$/.exec(value ?? '');
  return wrapped ? Buffer.from(wrapped[1], 'base64').toString('utf8') : value;
}

function envelope(counts, { method, params = {} }) {
  const meta = params._meta ?? {};
  if (meta[PREFIX + 'protocolVersion'] !== MODERN) counts.violation('_meta protocolVersion', meta[PREFIX + 'protocolVersion']);
  const can = meta[PREFIX + 'clientCapabilities'];
  if (typeof can !== 'object' || can === null) counts.violation('_meta clientCapabilities', can);
  else if ('tasks' in can || can.extensions?.[PREFIX + 'tasks']) counts.violation('tasks declared', JSON.stringify(can));
  if (!meta[PREFIX + 'clientInfo']?.name) counts.violation('_meta clientInfo', method);
  if ('task' in params) counts.violation('params.task', method);
}
