// The official conformance suite through the daemon, compared with what expected.json says.
//
//   run.mjs [2025-11-25 | 2025-06-18 | 2025-03-26 | client]...    all four without arguments
//   run.mjs --accept [...]    takes the results over as the expected ones
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { daemon } from '../peers/daemon.mjs';
import { serve } from '../peers/server/serve.mjs';
import { differences, printed, results } from './results.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const cache = process.env.TEST_CACHE;
const suite = ['--import', join(here, 'loopback.mjs'), join(cache, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')];
const baseline = join(process.env.REPOSITORY, 'test/conformance/expected.json');

/** Runs the suite and returns its exit status; what it prints goes to a file. */
async function run(args, log, env = {}) {
  const file = createWriteStream(log);
  const child = spawn('node', [...suite, ...args], { env: { ...process.env, ...env } });
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  const status = await new Promise((done) => child.once('close', done));
  file.end();
  return status;
}

/** The suite as a legacy client of one revision, the daemon, a modern-only server. */
async function asClient(revision, out) {
  const server = await serve();
  // A call that takes longer than this is answered by a stream, so that what belongs to streams is looked at too.
  const proxy = await daemon(server.url, { top: 'keep_alive: 500ms' });
  const which = revision === '2025-11-25' ? ['--requirements', revision] : ['--suite', 'all', '--spec-version', revision];
  const status = await run(['server', '--url', proxy.url, ...which, '-o', out], `${out}.log`);
  await proxy.stop();
  await writeFile(`${out}.daemon.log`, proxy.lines.join('\n'));
  await server.close();
  const { methods, violations } = server.counts;
  const requests = Object.values(methods).reduce((sum, n) => sum + n, 0);
  console.log(`  ${requests} requests upstream, violations ${JSON.stringify(violations)}`);
  return { status, faults: server.counts.clean && requests > 0 ? [] : ['what came upstream is not modern'] };
}

/** A legacy client, the daemon, the suite's modern mock servers: one of each a scenario. */
async function asServer(scenarios, out) {
  const command = `node ${join(here, 'client.mjs')}`;
  const left = [...scenarios];
  let status = 0;
  const worker = async () => {
    for (let scenario; (scenario = left.shift()); ) {
      const args = ['client', '--command', command, '--scenario', scenario, '--spec-version', '2026-07-28', '--timeout', '30000', '-o', out];
      status = (await run(args, `${out}.${scenario}.log`)) || status;
    }
  };
  await Promise.all([worker(), worker()]);
  return { status, faults: [] };
}

async function part(name, expected) {
  const out = join(cache, 'results', name);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const started = Date.now();
  console.log(`${name}:`);
  const { status, faults } = name === 'client' ? await asServer(Object.keys(expected), out) : await asClient(name, out);
  const found = await results(out);
  const all = [...differences(expected, found), ...faults];
  if (status && !all.length) all.push('the results are as expected, and yet the suite is not content');
  const passed = Object.values(found).filter(({ FAILURE, WARNING }) => !FAILURE && !WARNING).length;
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`  ${passed} of ${Object.keys(expected).length} scenarios without failure or warning, in ${seconds} s`);
  for (const difference of all) console.log(`  ${difference}`);
  if (all.length) console.log(`  the suite ended with ${status}; see ${out}*.log`);
  return { found, all };
}

const expected = JSON.parse(await readFile(baseline));
const wanted = process.argv.slice(2).filter((name) => name !== '--accept');
let differ = 0;
for (const name of wanted.length ? wanted : Object.keys(expected)) {
  const { found, all } = await part(name, expected[name] ?? {});
  differ += all.length;
  expected[name] = found;
}
if (process.argv.includes('--accept')) await writeFile(baseline, printed(expected));
else if (differ) console.log(`${differ} differences from test/conformance/expected.json`);
process.exit(differ && !process.argv.includes('--accept') ? 1 : 0);
