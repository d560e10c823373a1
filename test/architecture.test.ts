/** The rooms of the design and what may import what, read from the imports themselves. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Room -> rooms it may import, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  /** Folders and files of ours: made, locked, synced. */
  files: [],
  /** What a setting is, and the kinds of values. */
  values: ['core', 'operations/enums'],
  /** Of each room the table of its settings. */
  config: [
    'core',
    'values',
    'cpu/settings.ts',
    'ledger/settings.ts',
    'payouts/settings.ts',
    'queue/settings.ts',
    'rig/settings.ts',
    'stratum/settings/settings.ts',
    'upstream/settings.ts',
    'web/settings.ts',
    'alerts/settings.ts',
  ],
  /** What can be asked and ordered, and what the answers hold. Of the bridge the catalogue of what happens. */
  operations: ['core', 'values', 'bridge/timeline'],
  bridge: ['core', 'operations'],
  /** Certificates, of rigs' ports and of the web. */
  tls: ['core', 'values'],
  /** What rigs and bridge say to each other. */
  wire: ['core'],
  stratum: ['core', 'values', 'operations', 'bridge', 'tls', 'wire'],
  chain: ['core'],
  'node-client': ['core', 'chain'],
  upstream: ['core', 'values', 'operations', 'bridge', 'chain', 'node-client'],
  cpu: ['core', 'values', 'bridge', 'workers'],
  queue: ['core', 'values', 'bridge', 'files'],
  ledger: ['core', 'values', 'operations', 'bridge', 'files'],
  /** Its table of conditions is what all else has their names from. */
  alerts: ['core', 'values', 'operations', 'files', 'bridge', 'queue/bullmq'],
  web: ['core', 'values', 'operations', 'bridge', 'alerts', 'tls'],
  payouts: ['core', 'values', 'operations', 'files', 'bridge', 'chain', 'node-client'],
  workers: ['core'],
  /** It mines with the same kernels. */
  devnode: ['core', 'values', 'files', 'chain', 'node-client', 'tls', 'workers'],
  rig: ['core', 'values', 'workers', 'wire'],
  probe: ['core', 'wire', 'rig'],
  cli: ['core', 'values', 'operations', 'config'],
  assembly: [
    'core',
    'values',
    'operations',
    'files',
    'workers',
    'config',
    'cli',
    'bridge',
    'tls',
    'stratum',
    'chain',
    'node-client',
    'upstream',
    'cpu',
    'queue',
    'ledger',
    'web',
    'payouts',
    'alerts',
  ],
  commands: ['*'],
  main: ['commands', 'cli', 'config'],
};
/** Only the command that starts it may know the development node. */
const MAY_IMPORT_DEVNODE = ['src/commands/node/run.ts'];
const SETTINGS_OF_DEVNODE = 'src/devnode/settings.ts';
/** What the bridge must not name: it declares ports instead. */
const NOT_IN_THE_MIDDLE =
  /^(node:(net|http|https|tls|fs|child_process|worker_threads)|ws|undici|pg|bullmq|ioredis|piscina|fastify)/;

/** Asks `node:net` what kind of address a text is, and opens nothing. */
const KNOWS_ADDRESSES = 'src/core/names/peer.ts';

interface Import {
  readonly from: string;
  /** Path below the root for our own files, otherwise the name as written. */
  readonly to: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name).split(sep).join('/'));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const written = text.matchAll(
    /(?:^|[\s;])(?:import|export)\s[^'"`;]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|^import\s+['"]([^'"]+)['"]/gm,
  );
  return Array.from(written, ([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '').map((name) => ({
    from: file,
    to: targetOf(file, name),
  }));
}

/** The file of ours that is meant, or the name as written. */
function targetOf(file: string, name: string): string {
  if (!name.startsWith('.')) return name;
  const path = relative(ROOT, join(ROOT, dirname(file), name)).replace(/\.js$/, '');
  return (
    ['.ts', '.tsx', ''].map((ending) => path + ending).find((each) => existsSync(join(ROOT, each))) ?? path
  );
}

/** What a file loads as soon as it is loaded itself: no types, and nothing that it loads later. */
function loadedBy(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const written = text.matchAll(/^(?:import|export)\s(?!type\s)(?:[^'"`;]*?from\s+)?['"]([^'"]+)['"]/gm);
  return Array.from(written, ([, name = '']) => targetOf(file, name));
}

/** Packages that loading these files loads, whatever stands between. */
function packagesOf(start: readonly string[]): string[] {
  const seen = new Set(start);
  for (const name of seen) if (isOurs(name)) for (const next of loadedBy(name)) seen.add(next);
  return [...seen].filter((name) => !isOurs(name) && !name.startsWith('node:')).sort();
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
  if (to === SETTINGS_OF_DEVNODE) return ['devnode', 'config', 'commands'].includes(room);
  if (other === 'devnode' && room !== 'devnode') return MAY_IMPORT_DEVNODE.includes(from);
  const allowed = MAY_IMPORT[room] ?? [];
  return (
    room === other ||
    allowed.includes('*') ||
    allowed.includes(other) ||
    allowed.some((path) => [`src/${path}`, `src/${path}.ts`].includes(to) || to.startsWith(`src/${path}/`))
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
      ({ from, to }) =>
        /^src\/(core|bridge)\//.test(from) && NOT_IN_THE_MIDDLE.test(to) && from !== KNOWS_ADDRESSES,
    );
    expect(breaches).toEqual([]);
  });

  it('imports only files that exist', () => {
    expect(imports.filter(({ to }) => isOurs(to) && !files.includes(to))).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(findCycle()).toEqual([]);
  });

  it('loads of packages only commander, and zod for what can be asked, until the body of a command is loaded', () => {
    const start = ['src/main.ts', ...files.filter((file) => /^src\/commands\/[^/]+\.ts$/.test(file))];
    expect(packagesOf(start)).toEqual(['commander', 'zod']);
    // What their own bodies load of ours names no other either.
    const light = files.filter((file) => /^src\/commands\/keygen\//.test(file));
    expect(light.length).toBeGreaterThan(2);
    expect(packagesOf(light)).toEqual(['zod']);
  });

  it('loads into a browser only what is made for one', () => {
    const page = files.filter((file) => /^src\/(web|devnode)\/page\//.test(file));
    expect(page.length).toBeGreaterThan(20);
    const noble = ['@noble/hashes/sha2.js', '@noble/hashes/utils.js'];
    expect(packagesOf(page)).toEqual([...noble, 'minidenticons', 'preact', 'preact/hooks', 'uplot']);
    // Of the API it takes types, and the words that it is asked by; and the audit, which is the same as that of the command.
    const loaded = page.flatMap((file) => loadedBy(file)).filter(isOurs);
    expect([...new Set(loaded.filter((name) => !page.includes(name)))].sort()).toEqual([
      ...[
        'src/core/audit/audit.ts',
        'src/core/audit/rig-log.ts',
        'src/core/audit/source.ts',
        'src/operations/enums.ts',
      ],
    ]);
  });

  it('has no file over 400 lines, but one that is generated', () => {
    const long = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 401);
    expect(long).toEqual(['src/ledger/database/rows.ts']);
  });

  it('wires in functions of at most 40 lines', () => {
    const ofAssembly = files.filter((file) => roomOf(file) === 'assembly');
    const all = ofAssembly.flatMap((file) =>
      functionsIn(readFileSync(join(ROOT, file), 'utf8')).map((each) => ({ file, ...each })),
    );
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter(({ lines }) => lines > 40)).toEqual([]);
  });

  it('counts the lines of functions of every kind', () => {
    expect(functionsIn(SAMPLE)).toEqual([
      { head: 'export async function first(', lines: 7 },
      { head: 'const arrow = (a: string): string =>', lines: 4 },
      { head: 'async #method({', lines: 7 },
      { head: 'each(async () => {', lines: 3 },
      { head: 'const literal = [1].map((n) => ({', lines: 3 },
    ]);
  });

  it('has a page in every room of more than a dozen files', () => {
    const rooms = new Map<string, number>();
    for (const file of files) rooms.set(folderOf(file), (rooms.get(folderOf(file)) ?? 0) + 1);
    const large = [...rooms].filter(([, inside]) => inside > 12).map(([room]) => room);
    expect(large).toContain('src/assembly');
    expect(large.filter((room) => !existsSync(join(ROOT, room, 'README.md')))).toEqual([]);
  });
});

function folderOf(file: string): string {
  return roomOf(file) === 'workers' ? 'workers' : `src/${roomOf(file)}`;
}

const SAMPLE = `export async function first(
  a: string,
): Promise<void> {
  const literal = {
    a,
  };
}
const arrow = (a: string): string =>
  a
    .trim()
    .slice(1);
class Some {
  async #method({
    a,
  }: Parts): Promise<void> {
    each(async () => {
      await a;
    });
  }
}
const literal = [1].map((n) => ({
  n,
}));
`;

const indentOf = (line: string): number => line.search(/\S|$/);
const CLOSES = /^\s*[)}\]]/;
/** A block or the body of an arrow function begins; inside of a function other blocks do no harm, as they are shorter. */
const OPENS = /(\{|=>|=> [([{]+)$/;
const NO_FUNCTION = /^\s*(export )?(class|interface|type|import)\b|^\s*export \{|([=:] |(?<!=> )\()\{$/;

/** Functions of formatted code, by indentation: from the line where the head begins to the one that closes the body. */
function functionsIn(text: string): { head: string; lines: number }[] {
  const lines = text.split('\n');
  return lines.flatMap((line, opens) => {
    if (!OPENS.test(line) || NO_FUNCTION.test(line)) return [];
    const depth = indentOf(line);
    const isSameDepth = (other: string): boolean => other !== '' && indentOf(other) <= depth;
    const from = lines.findLastIndex((other, i) => i <= opens && isSameDepth(other) && !CLOSES.test(other));
    const after = lines.findIndex((other, i) => i > opens && isSameDepth(other));
    const isClosed = CLOSES.test(lines[after] ?? '');
    if (line.endsWith('{') && !isClosed) throw new Error(`the formatter would not end this so: ${line}`);
    return [{ head: lines[from]?.trim() ?? '', lines: after - from + (isClosed ? 1 : 0) }];
  });
}

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
