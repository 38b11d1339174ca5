// Holds what a recorder has heard against the official schema of each session's revision.
import { schemaOf } from '../peers/schema.mjs';

/** Checks the requests of a recorder. It returns faults, one a line, and kinds: how many messages of each kind were checked. */
export function held(seen) {
  const faults = [];
  const kinds = {};
  const methods = new Map(); // by session and id, what a response answers
  const sessions = new Map(); // their revisions
  const place = (entry, id) => `${entry.session} ${JSON.stringify(id)}`;
  for (const entry of seen) {
    const started = entry.heard.find(({ result }) => result?.protocolVersion);
    entry.session = entry.headers['mcp-session-id'] ?? entry.opened;
    if (started && entry.opened) sessions.set(entry.opened, started.result.protocolVersion);
    for (const { id, method } of entry.messages) if (method && id !== undefined) methods.set(place(entry, id), method);
  }
  for (const entry of seen) {
    faults.push(...entry.broken.map((text) => `no JSON: ${text.slice(0, 300)}`));
    const revision = sessions.get(entry.session) ?? entry.headers['mcp-protocol-version'];
    for (const message of entry.heard.map((one) => plain(one, entry.status))) {
      const answered = message.method ? undefined : entry.messages.find(({ id }) => id === message.id)?.method ?? methods.get(place(entry, message.id));
      const kind = message.method ?? (message.error ? 'error' : `result of ${answered}`);
      if (!revision) {
        faults.push(`nobody knows the revision of ${JSON.stringify(message)}`);
        continue;
      }
      kinds[`${revision} ${kind}`] = (kinds[`${revision} ${kind}`] ?? 0) + 1;
      for (const fault of schemaOf(revision).faults(message, answered)) faults.push(`${revision} ${kind}: ${fault}: ${JSON.stringify(message).slice(0, 300)}`);
      if (revision < '2026') for (const name of modern(message)) faults.push(`${revision} ${kind}: ${name} is of a newer revision`);
    }
  }
  return { faults, kinds };
}

// An HTTP refusal that is about no request has the null of JSON-RPC for its id, where the schemas have an absent one.
function plain(message, status) {
  if (!(status >= 400 && message.error && message.id === null)) return message;
  const { id, ...rest } = message;
  return rest;
}

// The schemas allow any member in a result, so that they do not tell.
function modern({ result = {}, params = {} }) {
  const own = Object.keys({ ...result._meta, ...params._meta }).filter((key) => key.startsWith('io.modelcontextprotocol/'));
  return [...own, ...['resultType', 'ttlMs', 'cacheScope'].filter((name) => name in result)];
}
