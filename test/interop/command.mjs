// Runs a client as its maker ships it: in a home of its own, with nothing of this process's environment but the path.
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';

// Nothing listens there: whatever is not loopback fails at once, and says so.
const nowhere = 'http://127.0.0.1:9';

const quiet = {
  CI: '1', NO_COLOR: '1', DO_NOT_TRACK: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true',
  NO_UPDATE_NOTIFIER: '1', LANGSMITH_TRACING: 'false', AI_SDK_TELEMETRY: '0',
  HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: '127.0.0.1,localhost,::1',
};

/**
 * Runs a program in the folder and returns what it printed. It fails when the program does, or when it takes longer than a
 * minute. path is looked into for programs first. input goes to its standard input piece by piece, each as soon as its after
 * was printed; its text may be made from what was printed.
 */
export async function command(folder, home, program, args, { path, input = [] } = {}) {
  await mkdir(home, { recursive: true });
  const child = spawn(program, args, { cwd: folder, env: { PATH: `${path}:${process.env.PATH}`, LANG: 'C.UTF-8', HOME: home, TMPDIR: home, ...quiet } });
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  let printed = '';
  const left = [...input];
  const feed = () => {
    while (left.length && (!left[0].after || printed.includes(left[0].after))) {
      const { text } = left.shift();
      child.stdin.write(typeof text === 'function' ? text(printed) : text);
    }
    if (!left.length) child.stdin.end();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      printed += piece;
      feed();
    });
  }
  child.stdin.on('error', () => {});
  feed();
  const status = await new Promise((done, failed) => child.once('error', failed).once('close', done));
  clearTimeout(timer);
  if (status !== 0) throw new Error(`${program} ends with ${status}: ${printed.trim().slice(-300)}`);
  return printed;
}
