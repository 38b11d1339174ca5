// Starts the built daemon.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1)); // and the daemons with it

/**
 * Starts the daemon on free ports, with one route to upstream. settings are YAML: the route's further keys under route,
 * all else under top. The returned object has the endpoint's url, admin (a URL), the log's lines, and stop.
 */
export async function daemon(upstream, { top = '', route = '' } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'mrtr-proxy-'));
  const config = join(folder, 'config.yaml');
  await writeFile(config, yaml(upstream, top, route));
  const child = spawn(process.env.MRTR_PROXY_BIN, ['serve', '--config', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = new Promise((done) => child.once('close', done));
  const orphan = () => child.kill('SIGKILL');
  process.once('exit', orphan);
  const lines = [];
  const serving = new Promise((found, failed) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      const entry = parsed(line);
      if (entry.msg === 'serving') found(entry);
    });
    child.once('error', failed);
    gone.then(() => failed(new Error(`the daemon ended:\n${lines.join('\n')}`)));
  });
  const at = await serving;
  return {
    url: `http://${at.listen}/mcp`,
    admin: `http://${at.admin}`,
    lines,
    async stop() {
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await gone;
      clearTimeout(killer);
      process.off('exit', orphan);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const yaml = (upstream, top, route) => `listen: 127.0.0.1:0
admin: {listen: "127.0.0.1:0"}
shutdown_timeout: 1s
${top}
routes:
  - path: /mcp
    upstream: {url: ${JSON.stringify(upstream)}}
${route.replace(/^/gm, '    ')}
`;

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

/** The value of a metric with exactly these labels among its own, or 0. */
export async function metric({ admin }, name, labels = {}) {
  const text = await (await fetch(`${admin}/metrics`)).text();
  let sum = 0;
  for (const line of text.split('\n')) {
    if (!line.startsWith(name + '{') && !line.startsWith(name + ' ')) continue;
    if (Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`))) sum += Number(line.split(' ').at(-1));
  }
  return sum;
}
