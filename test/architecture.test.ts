/** The rooms of the design and what may import what, read from the imports themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Room -> rooms it may import, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  config: ['core'],
  bridge: ['core'],
  stratum: ['core', 'bridge'],
  node: ['core', 'bridge'],
  cpu: ['core', 'bridge', 'workers'],
  queue: ['core', 'bridge'],
  ledger: ['core', 'bridge'],
  web: ['core', 'bridge'],
  workers: ['core'],
  devnode: ['core'],
  /** Of the stratum room only the messages, and what they say. */
  rig: ['core', 'workers', 'stratum/messages', 'stratum/message-parser', 'stratum/json', 'stratum/errors'],
  commands: ['*'],
  main: ['commands', 'config'],
};
/** Only the command that starts it may know the development node. */
const MAY_IMPORT_DEVNODE = ['src/commands/node.ts'];
/** What the bridge must not name: it declares ports instead. */
const NOT_IN_THE_MIDDLE =
  /^(node:(net|http|https|tls|fs|child_process|worker_threads)|ws|undici|pg|bullmq|ioredis|piscina|fastify)/;

interface Import {
  readonly from: string;
  /** Path below the root for our own files, otherwise the name as written. */
  readonly to: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name).split(sep).join('/'));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const written = text.matchAll(
    /(?:^|[\s;])(?:import|export)\s[^'"`;]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|^import\s+['"]([^'"]+)['"]/gm,
  );
  return Array.from(written, ([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '').map((name) => ({
    from: file,
    to: name.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), name)).replace(/\.js$/, '.ts') : name,
  }));
}

const files = [...sourceFiles('src'), ...sourceFiles('workers')];
const imports = files.flatMap(importsOf);
const isOurs = (name: string): boolean => name.startsWith('src/') || name.startsWith('workers/');

function roomOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  return top === 'workers' ? 'workers' : second.replace(/\.ts$/, '');
}

function isAllowed({ from, to }: Import): boolean {
  const [room, other] = [roomOf(from), roomOf(to)];
  if (other === 'devnode' && room !== 'devnode') return MAY_IMPORT_DEVNODE.includes(from);
  const allowed = MAY_IMPORT[room] ?? [];
  return (
    room === other ||
    allowed.includes('*') ||
    allowed.includes(other) ||
    allowed.includes(to.replace(/^src\/|\.ts$/g, ''))
  );
}

describe('architecture', () => {
  it('has only the rooms of the design', () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
    expect(imports.filter(({ to }) => isOurs(to)).length).toBeGreaterThan(100);
  });

  it('keeps to what each room may import', () => {
    const breaches = imports.filter((each) => isOurs(each.to) && !isAllowed(each));
    expect(breaches.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('keeps sockets, HTTP, Redis, SQL and threads out of core and bridge', () => {
    const breaches = imports.filter(
      ({ from, to }) => /^src\/(core|bridge)\//.test(from) && NOT_IN_THE_MIDDLE.test(to),
    );
    expect(breaches).toEqual([]);
  });

  it('imports only files that exist', () => {
    expect(imports.filter(({ to }) => isOurs(to) && !files.includes(to))).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(findCycle()).toEqual([]);
  });

  it('has no file over 400 lines', () => {
    const long = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 401);
    expect(long).toEqual([]);
  });
});

/** The first cycle found by walking depth first, empty when there is none. */
function findCycle(): string[] {
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const { to } of imports.filter(({ from, to }) => from === file && isOurs(to))) {
      const cycle = walk(to, [...path, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  for (const file of files) {
    const cycle = walk(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
