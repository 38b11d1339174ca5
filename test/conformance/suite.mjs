// Runs the official suite.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const loopback = fileURLToPath(new URL('loopback.mjs', import.meta.url));
const suite = ['--import', loopback, join(process.env.TEST_CACHE, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')];

/** Runs the suite and returns its exit status; what it prints goes to a file. */
export async function run(args, log, env = {}) {
  const file = createWriteStream(log);
  const child = spawn('node', [...suite, ...args], { env: { ...process.env, ...env } });
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  const status = await new Promise((done) => child.once('close', done));
  file.end();
  return status;
}
