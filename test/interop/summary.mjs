// What a client has sent, in lines a page can quote.

/** A line for each way of opening, and one for each kind of request with how often it came and how it was answered. */
export function summary(seen) {
  const lines = new Map();
  for (const { verb, path, headers, messages, status, type } of seen) {
    const what = messages.length ? messages.map(({ method = 'an answer' }) => method).join('+') : verb;
    const marks = [
      headers['mcp-protocol-version'] ?? 'no version',
      headers['mcp-session-id'] && 'session',
      headers['last-event-id'] && 'resumes',
      path !== '/mcp' && path,
    ].filter(Boolean);
    const line = `${what} (${marks.join(', ')}) → ${status ?? 'none'}${type ? ` ${type.split(';')[0]}` : ''}`;
    lines.set(line, (lines.get(line) ?? 0) + 1);
    for (const message of messages) opening(message, headers, lines);
  }
  return [...lines].map(([line, times]) => (times > 1 ? `${line}, ${times} times` : line));
}

function opening({ method, id, params }, headers, lines) {
  const meta = params?._meta ?? {};
  const agent = `${headers['user-agent']}, Accept ${headers.accept}`;
  if (method === 'initialize') {
    const { protocolVersion, capabilities, clientInfo } = params;
    lines.set(`  opens with ${protocolVersion}, id ${JSON.stringify(id)}, as ${clientInfo.name} ${clientInfo.version}, ${JSON.stringify(capabilities)}, ${agent}`, 1);
  } else if (method === 'server/discover') {
    const info = meta['io.modelcontextprotocol/clientInfo'] ?? {};
    const can = meta['io.modelcontextprotocol/clientCapabilities'];
    lines.set(`  looks for ${meta['io.modelcontextprotocol/protocolVersion']}, id ${JSON.stringify(id)}, as ${info.name} ${info.version}, ${JSON.stringify(can)}, ${agent}`, 1);
  }
}
