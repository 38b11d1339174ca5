// The official JSON schemas of the protocol's revisions, as the conformance suite carries them: in its one file, as literals.
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const suite = readFileSync(new URL('../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url), 'utf8');
const known = new Map();

/**
 * The schema of a revision. The returned object has faults: what is wrong with a message, a list that is empty for none. A
 * result is held against what the method it answers has.
 */
export function schemaOf(revision) {
  if (!known.has(revision)) known.set(revision, compiled(literal(revision)));
  return known.get(revision);
}

function compiled(schema) {
  const at = schema.$defs ? '$defs' : 'definitions';
  const types = schema[at];
  const ajv = new (at === '$defs' ? Ajv2020.default : Ajv.default)({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('byte', true);
  // In some revisions these are integers, which the specification's own text and its TypeScript do not have.
  for (const name of ['minimum', 'maximum', 'default']) {
    const bound = types.NumberSchema?.properties[name];
    if (bound) bound.type = 'number';
  }
  ajv.addSchema(schema, 'mcp');
  const byMethod = {};
  for (const [name, type] of Object.entries(types)) {
    const method = type.properties?.method?.const;
    if (method) byMethod[method] = name;
  }
  const held = (name, value) => {
    const fits = ajv.getSchema(`mcp#/${at}/${name}`);
    if (!fits) return [`there is no ${name}`];
    return fits(value) ? [] : fits.errors.map(({ instancePath, message }) => `${name}${instancePath} ${message}`);
  };
  const either = (...names) => names.find((name) => name in types);
  return {
    faults(message, answered) {
      if (message.method) return held(byMethod[message.method] ?? `type for ${message.method}`, message);
      if (message.error) return held(either('JSONRPCErrorResponse', 'JSONRPCError'), message);
      const asking = message.result?.resultType === 'input_required';
      const result = asking ? 'InputRequiredResult' : byMethod[answered]?.replace(/Request$/, 'Result');
      const whole = held(either('JSONRPCResultResponse', 'JSONRPCResponse'), message);
      return [...whole, ...held(result in types ? result : 'EmptyResult', message.result)];
    },
  };
}

/** Reads the literal that the suite has for a revision. */
function literal(revision) {
  const quoted = `["'\`]${revision}["'\`]`;
  const constants = [...suite.matchAll(new RegExp(`\\b([A-Za-z_]\\w*)=${quoted}`, 'g'))].map(([, constant]) => `\\[${constant}\\]`);
  const name = suite.match(new RegExp(`(?:${[quoted, ...constants].join('|')}):([\\w$]+)[,}]`))?.[1];
  const from = suite.indexOf(`${name}={$schema:`) + `${name}=`.length;
  if (!name || from < name.length + 1) throw new Error(`the suite has no schema of ${revision}`);
  const token = /`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[{}]/gs;
  token.lastIndex = from;
  for (let depth = 0, found; (found = token.exec(suite)); ) {
    if (found[0] === '{') depth++;
    if (found[0] === '}' && --depth === 0) return new Function(`return ${suite.slice(from, token.lastIndex)}`)();
  }
  throw new Error(`the schema of ${revision} has no end`);
}
