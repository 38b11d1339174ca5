// The official conformance suite through the daemon, compared with what expected.json says.
//
//   run.mjs [2025-11-25 | 2025-06-18 | 2025-03-26 | client | 2026-07-28 | 2026-07-28-held | 2026-07-28-ruled]...    all without
//           arguments
//   run.mjs --direct 2026-07-28    without the daemon
//   run.mjs --accept [...]    takes the results over as the expected ones; those of 2026-07-28 are the ones without the daemon
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { daemon } from '../peers/daemon.mjs';
import { serve } from '../peers/server/serve.mjs';
import { asModernClient, daemons, MODERN, parts } from './modern.mjs';
import { differences, printed, results } from './results.mjs';
import { run } from './suite.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const cache = process.env.TEST_CACHE;
const baseline = join(process.env.REPOSITORY, 'test/conformance/expected.json');

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

/** Runs a part; wanted has the results that it must have. */
async function part(name, wanted) {
  const out = join(cache, 'results', name);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const started = Date.now();
  console.log(`${name}${direct && isModern(name) ? ', without the daemon' : ''}:`);
  const { status, faults } = await played(name, wanted, out);
  const found = await results(out);
  const all = [...differences(wanted, found), ...faults];
  if (status && !all.length) all.push('the results are as expected, and yet the suite is not content');
  const passed = Object.values(found).filter(({ FAILURE, WARNING }) => !FAILURE && !WARNING).length;
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`  ${passed} of ${Object.keys(wanted).length} scenarios without failure or warning, in ${seconds} s`);
  for (const difference of all) console.log(`  ${difference}`);
  if (all.length) console.log(`  the suite ended with ${status}; see ${out}*.log`);
  return { found, all };
}

function played(name, wanted, out) {
  if (isModern(name)) return asModernClient(name, wanted, out, direct);
  return name === 'client' ? asServer(Object.keys(wanted), out) : asClient(name, out);
}

const isModern = (name) => parts.includes(name);
const expected = JSON.parse(await readFile(baseline));
const flags = process.argv.slice(2).filter((name) => name.startsWith('--'));
const accept = flags.includes('--accept');
const direct = accept || flags.includes('--direct');
const wanted = process.argv.slice(2).filter((name) => !name.startsWith('--'));
let differ = 0;
for (const name of wanted.length ? wanted : new Set([...Object.keys(expected), ...parts])) {
  if (direct && isModern(name) && name !== MODERN) continue; // without the daemon they are the same
  const base = expected[isModern(name) ? MODERN : name] ?? {};
  const { found, all } = await part(name, isModern(name) && !direct ? daemons(name, base) : base);
  differ += all.length;
  if (accept) expected[name] = found;
}
if (accept) await writeFile(baseline, printed(expected));
else if (differ) console.log(`${differ} differences from test/conformance/expected.json`);
process.exit(differ && !accept ? 1 : 0);
