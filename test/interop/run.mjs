// Clients as their makers ship them, through the daemon to a modern-only server. Not for CI: it installs half a gigabyte.
//
//   run.mjs [NAME]...    all without names
//
// A client that speaks both eras is run twice: as it is, and with its modern requests refused, as by a legacy server.
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { daemon } from '../peers/daemon.mjs';
import { recorder } from '../peers/recorder.mjs';
import { serve } from '../peers/server/serve.mjs';
import { clients, rule } from './clients.mjs';
import { command } from './command.mjs';
import { summary } from './summary.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = join(process.env.TEST_CACHE, 'results', 'interop');

const call = promisify(execFile);

/** Installs a client's package at the version of its lock file and returns which that is. */
async function install(folder) {
  const go = await readFile(join(folder, 'go.mod'), 'utf8').catch(() => undefined);
  if (go) {
    await call('go', ['build', '-o', 'node_modules/.bin/', '.'], { cwd: folder, timeout: 600_000 });
    return /require (\S+ \S+)/.exec(go)[1];
  }
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(folder, 'node_modules', '.installed');
  if ((await readFile(mark, 'utf8').catch(() => '')) !== lock) {
    // Not ci: that refuses lock files with an optional package for another system, which install takes as they are.
    await call('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, timeout: 600_000 });
    await writeFile(mark, lock);
  }
  const [[name]] = Object.entries(JSON.parse(lock).packages[''].dependencies);
  return `${name} ${JSON.parse(lock).packages[`node_modules/${name}`].version}`;
}

/** One client: every step once, once more without the modern era if it used that, and what it does where a rule answers. */
async function measure(client) {
  const folder = join(here, client.name);
  let version;
  try {
    version = await install(folder);
  } catch (error) {
    return { version: `not runnable: ${String(error.stderr || error.message).slice(0, 300)}`, passes: [] };
  }
  const passes = [await pass(client.name, folder, 'as it is', client.steps)];
  if (passes[0].modern) passes.push(await pass(client.name, folder, 'with its modern requests refused', client.steps, { legacyOnly: true }));
  if (client.ruled) passes.push(await pass(client.name, folder, 'with a rule that answers', client.ruled, { route: rule }));
  return { version, passes };
}

async function pass(client, folder, name, all, { legacyOnly, route } = {}) {
  const server = await serve();
  const proxy = await daemon(server.url, { route });
  const tap = await recorder(proxy.url, { legacyOnly });
  const home = join(out, `${client}.home`);
  await rm(home, { recursive: true, force: true });
  const path = join(folder, 'node_modules', '.bin');
  const run = (program, args, more) => command(folder, home, program, args, { path, ...more });
  const steps = [];
  for (const [what, step] of Object.entries(all)) {
    try {
      await step({ url: tap.url, run });
      steps.push({ what, status: 'ok' });
    } catch (error) {
      steps.push({ what, status: 'failed', why: `: ${error.message}` });
    }
  }
  await tap.close();
  await proxy.stop();
  await server.close();
  await rm(home, { recursive: true, force: true });
  const { violations } = server.counts;
  if (!server.counts.clean) steps.push({ what: 'only modern traffic goes upstream', status: 'failed', why: `: ${JSON.stringify(violations)}` });
  const record = { seen: tap.seen, violations, log: proxy.lines };
  await writeFile(join(out, `${client}, ${name}.json`), JSON.stringify(record, undefined, 1));
  const modern = tap.seen.some(({ messages }) => messages.some(({ method }) => method === 'server/discover'));
  return { name, steps, modern, wire: summary(tap.seen) };
}

const wanted = process.argv.slice(2);
await mkdir(out, { recursive: true });
let failed = 0;
for (const client of clients.filter(({ name }) => !wanted.length || wanted.includes(name))) {
  const { version, passes } = await measure(client);
  console.log(`${client.name}  ${version}`);
  for (const { name, steps, wire } of passes) {
    console.log(`  ${name}`);
    for (const { what, status, why = '' } of steps) console.log(`    ${status}: ${what}${why}`);
    for (const line of wire) console.log(`      ${line}`);
    failed += steps.filter(({ status }) => status === 'failed').length;
  }
}
console.log(failed ? `${failed} failed` : 'none failed');
process.exit(failed ? 1 : 0);
