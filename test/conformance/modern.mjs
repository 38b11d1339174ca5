// The suite as a modern client: the daemon, with rules or without, and a modern server behind it.
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { daemon, metric } from '../peers/daemon.mjs';
import { serve } from '../peers/server/serve.mjs';
import { differences, results } from './results.mjs';
import { run } from './suite.mjs';

export const MODERN = '2026-07-28';

// Extensions are not scored, and that of tasks does not pass the daemon.
const unscored = /^server-tasks-/;

// The suite sends these on purpose, and they pass: the server has to refuse the methods itself, and to serve a client
// that does not say who it is.
const theirs = new Set([
  '_meta clientInfo', 'method initialize', 'method ping', 'method logging/setLevel', 'method resources/subscribe',
  'method resources/unsubscribe',
]);

// Each answers an ask in such a way that the client must not notice: of several asks it gets the others, and a call of
// which the rule answers all never asks it.
const rules = {
  'not-declared': '{tool: test_input_required_result_capabilities, method: elicitation/create}',
  'one-of-four': '{tool: test_input_required_result_multiple_inputs, message: "Who is it from?"}',
  'all-of-one': '{tool: test_streaming_elicitation}',
};
const answer = (rule) => `    - {name: ${rule}, match: ${rules[rule]}, accept: {content: {name: Rule}}}`;
const policy = ['policy:', '  rules:', ...Object.keys(rules).map(answer)].join('\n');

const held = 'modern: {early_answers: hold}';

/** The suite as a modern client, by part: what the route has beside its upstream, and whether rules answer. */
const settings = {
  [MODERN]: { route: '' },
  [`${MODERN}-held`]: { route: held },
  [`${MODERN}-ruled`]: { route: `${held}\n${policy}`, ruled: true },
};
export const parts = Object.keys(settings);

// Answers to questions that nobody asked, without the requestState of any: by default the daemon refuses them
// (docs/modern.md), while the server, which keeps nothing of its questions, takes them or asks again.
const refused = {
  'input-required-result-missing-input-response': { WARNING: { 'sep-2322-missing-response-rerequests': 1 } },
  'input-required-result-ignore-extra-params': { WARNING: { 'sep-2322-ignore-unexpected-params': 1 } },
};

/** What the daemon must score in a part, given what the server scores by itself. */
export function daemons(name, server) {
  const found = { ...server };
  if (name !== MODERN) return found;
  for (const [scenario, checks] of Object.entries(refused)) {
    if (server[scenario]) found[scenario] = { ...checks, ...withoutFaults(server[scenario], checks) };
  }
  return found;
}

/** Runs the suite's scenarios for servers, and those again that did not come out as wanted. */
export async function asModernClient(name, wanted, out, direct) {
  const server = await serve();
  const { route, ruled } = settings[name];
  const proxy = direct ? undefined : await daemon(server.url, { route });
  const url = proxy?.url ?? server.url;
  let status = await run(['server', '--url', url, '--requirements', MODERN, '-o', out], `${out}.log`);
  await withoutUnscored(out);
  status = await again(url, wanted, out, status);
  const faults = proxy ? await looked(server, proxy, ruled) : [];
  await proxy?.stop();
  if (proxy) await writeFile(`${out}.daemon.log`, proxy.lines.join('\n'));
  await server.close();
  return { status, faults };
}

// Some checks allow half a second, which a busy machine may need for itself: what differs gets a second chance, alone.
async function again(url, wanted, out, status) {
  const off = new Set(differences(wanted, await results(out)).map((line) => line.split(':')[0]));
  let second = 0;
  for (const scenario of off) {
    if (!wanted[scenario]) continue;
    console.log(`  ${scenario}: once more`);
    await removed(out, (folder) => folder.startsWith(`server-${scenario}-2`));
    const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', MODERN, '-o', out];
    second = (await run(args, `${out}.${scenario}.log`)) || second;
  }
  return off.size ? second : status;
}

const withoutUnscored = (out) => removed(out, (folder) => unscored.test(folder));

async function removed(out, which) {
  for (const folder of await readdir(out)) if (which(folder)) await rm(join(out, folder), { recursive: true });
}

// What else has to be so: that the server saw modern traffic only, and that every rule had something to answer.
async function looked(server, proxy, ruled) {
  const faults = Object.keys(server.counts.violations).filter((what) => !theirs.has(what)).map((what) => `upstream: ${what}`);
  for (const rule of ruled ? Object.keys(rules) : []) {
    if (!(await metric(proxy, 'mrtr_proxy_policy_decisions_total', { rule }))) faults.push(`rule ${rule} answered nothing`);
  }
  const byRule = await metric(proxy, 'mrtr_proxy_asks_total', { source: 'policy' });
  const requests = Object.values(server.counts.methods).reduce((sum, n) => sum + n, 0);
  console.log(`  ${requests} requests upstream, ${byRule} asks answered by rule`);
  if (!requests) faults.push('nothing reached the server');
  if (byRule && !ruled) faults.push('asks were answered by rule');
  return faults;
}

function withoutFaults(checks, faults) {
  const ids = new Set(Object.values(faults).flatMap(Object.keys));
  const left = Object.entries(checks.SUCCESS ?? {}).filter(([id]) => !ids.has(id));
  return left.length ? { SUCCESS: Object.fromEntries(left) } : {};
}
