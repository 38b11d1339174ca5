// Reads what the suite has written, and compares it with what is expected.
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The checks of every scenario in a folder, by scenario, status and id, each with its number. INFO says nothing. */
export async function results(folder) {
  const found = {};
  for (const file of (await readdir(folder, { recursive: true })).sort()) {
    if (basename(file) !== 'checks.json') continue;
    const scenario = dirname(file).replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '').replace(/^server-(?!initialize|session|sse)|^server-(?=server-)/, '');
    const checks = (found[scenario] ??= {});
    for (const { id, status } of JSON.parse(await readFile(join(folder, file)))) {
      if (status === 'INFO') continue;
      const ids = (checks[status] ??= {});
      ids[id] = (ids[id] ?? 0) + 1;
    }
  }
  return found;
}

/** Every way in which found is not expected, a line each. */
export function differences(expected, found) {
  const lines = [];
  for (const scenario of union(expected, found)) {
    if (!found[scenario]) lines.push(`${scenario}: did not run`);
    else if (!expected[scenario]) lines.push(`${scenario}: is not expected`);
    else lines.push(...inside(scenario, expected[scenario], found[scenario]));
  }
  return lines;
}

function inside(scenario, expected, found) {
  const lines = [];
  for (const status of union(expected, found)) {
    for (const id of union(expected[status] ?? {}, found[status] ?? {})) {
      const [want, got] = [expected[status]?.[id] ?? 0, found[status]?.[id] ?? 0];
      if (want !== got) lines.push(`${scenario}: ${id}: ${got} times ${status}, expected ${want}`);
    }
  }
  return lines;
}

const union = (a, b) => [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();

/** The expected results as text, a line a scenario. */
export function printed(expected) {
  const inner = (object, indent, value) =>
    `{\n${Object.entries(object).map(([name, of]) => `${indent}${JSON.stringify(name)}: ${value(of)}`).join(',\n')}\n${indent.slice(2)}}`;
  const line = (checks) => JSON.stringify(checks).replaceAll('":', '": ').replaceAll(',"', ', "');
  return inner(expected, '  ', (part) => inner(part, '    ', line)) + '\n';
}
