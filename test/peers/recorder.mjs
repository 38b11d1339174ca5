// Stands between a client and the daemon and takes down what passes.
import { createServer, request } from 'node:http';

/**
 * Passes everything to the daemon at url, but for modern requests if legacyOnly: those it refuses as a legacy server does.
 * The returned object has its own url, seen (an entry a request: messages are what the client sent, heard what came back,
 * broken what came back and is no JSON), and close.
 */
export async function recorder(url, { legacyOnly = false } = {}) {
  const target = new URL(url);
  const seen = [];
  const server = createServer((incoming, outgoing) => {
    const entry = { verb: incoming.method, path: incoming.url, headers: incoming.headers, messages: [], heard: [], broken: [] };
    seen.push(entry);
    const pieces = [];
    incoming.on('data', (piece) => pieces.push(piece));
    incoming.on('end', () => (entry.messages = messages(Buffer.concat(pieces))));
    if (legacyOnly && incoming.headers['mcp-protocol-version'] === '2026-07-28') return refuse(entry, outgoing);
    const headers = { ...incoming.headers, host: target.host };
    const onward = request({ host: target.hostname, port: target.port, path: incoming.url, method: incoming.method, headers }, (reply) => {
      entry.status = reply.statusCode;
      entry.type = reply.headers['content-type'];
      entry.opened = reply.headers['mcp-session-id'];
      outgoing.writeHead(reply.statusCode, reply.headers);
      outgoing.flushHeaders();
      listen(reply, entry);
      reply.pipe(outgoing);
      reply.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}${target.pathname}`,
    seen,
    close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))),
  };
}

function refuse(entry, outgoing) {
  Object.assign(entry, { status: 400, type: 'application/json' });
  outgoing.writeHead(400, { 'Content-Type': 'application/json' });
  outgoing.end('{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Unsupported protocol version"},"id":null}');
}

// A body that is cut off is heard as far as its events were whole.
function listen(reply, entry) {
  const hear = (text) => {
    try {
      entry.heard.push(...[JSON.parse(text)].flat());
    } catch {
      entry.broken.push(text);
    }
  };
  let text = '';
  const decoder = new TextDecoder();
  reply.on('data', (piece) => {
    text += decoder.decode(piece, { stream: true });
    if (!entry.type?.startsWith('text/event-stream')) return;
    const events = text.split('\n\n');
    text = events.pop();
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5)).join('\n');
      if (data.trim()) hear(data);
    }
  });
  reply.on('end', () => {
    if (entry.type?.startsWith('application/json') && text) hear(text);
  });
}

function messages(body) {
  try {
    return [JSON.parse(body)].flat();
  } catch {
    return [];
  }
}
