/** What runs on the machines: by the files of `config/deploy/machines` as they are, and the commands of its page. */
import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findBinaries, linkLibraries } from '../../../src/ledger/embedded/binaries.js';
import { run } from '../processes/isolated.js';
import { type LogLine, type Program, startCommand, startProgram } from '../processes/program.js';
import { until } from '../until.js';
import { ROOT } from '../web/pages.js';
import { addressOf, at, BALANCER, folderOf, type Machine, writeFile } from './network.js';

const PAGE = 'README.md';
const PASSWORD = 'of-this-story';
/** Of a bridge that answers within a second, on a machine that others keep busy. */
const ANSWER_MS = 30_000;
export const TOKEN = 'read-token-of-this-story';
/** Who runs PostgreSQL, which root may not. */
const AS_NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
/** Of Debian 12. */
const POSTGRES = '/etc/postgresql/15/main';

export const example = (name: string): string =>
  readFileSync(join(ROOT, 'config/deploy/machines', name), 'utf8');

/** Runs the line of the page's blocks that begins so. */
function runLine(start: string): void {
  const lines = example(PAGE).replaceAll('\\\n', ' ').replaceAll('sudo ', '').split('\n');
  const line = lines.find((each) => each.startsWith(start));
  if (line === undefined) throw new Error(`the page has no line that begins with ${start}`);
  // openssl draws what it does on stderr.
  run('sh', ['-c', `${line} 2>&1`]);
}

/** Files of all machines, in the one `/etc` that they have. */
export function layOutFiles(): void {
  writeFile('/etc/hosts', '127.0.0.1 localhost\n');
  writeFile('/etc/haproxy/haproxy.cfg', example('haproxy.cfg'));
  writeFile(`${POSTGRES}/conf.d/bridge.conf`, example('postgresql.conf'));
  writeFile('/etc/stratum-bridge/bridge.yaml', example('bridge.yaml'));
  const [url = ''] = /^postgres:.*$/m.exec(example(PAGE)) ?? [];
  writeFile('/etc/stratum-bridge/database-url', `${url.replace('PASSWORD', PASSWORD)}\n`, 0o600);
  const tokens = { prometheus: { access: 'read', secret: TOKEN } };
  writeFile('/etc/stratum-bridge/web-tokens', `${JSON.stringify(tokens)}\n`, 0o600);
  runLine("echo '10.18.0.20");
  runLine('openssl req');
  run('chown', ['65534', '/etc/postgresql/bridge.key']);
  run('cp', ['/etc/postgresql/bridge.crt', '/etc/stratum-bridge/books.crt']);
}

export interface Books {
  readonly program: Program;
  ask<T extends object>(text: string, values?: unknown[]): Promise<T[]>;
}

/** PostgreSQL on the machine of the books. People ask it by its socket. */
export async function startBooks(): Promise<Books> {
  const found = await findBinaries();
  await linkLibraries(found);
  const folder = folderOf('books');
  run('install', ['-d', '-m', '700', '-o', '65534', '-g', '65534', folder]);
  const [as = '', ...user] = AS_NOBODY;
  run(as, [...user, found.initdb, '-D', folder, '-U', 'postgres', '-A', 'trust']);
  await appendFile(join(folder, 'postgresql.conf'), `include_dir '${POSTGRES}/conf.d'\n`);
  await appendFile(join(folder, 'pg_hba.conf'), example('pg_hba.conf'));
  const program = startCommand([...at('books'), ...AS_NOBODY, found.postgres, '-D', folder, '-k', folder]);
  const ask: Books['ask'] = async (text, values) => {
    const client = new pg.Client({ host: folder, user: 'postgres', database: 'bridge' });
    await client.connect();
    return (await client.query(text, values).finally(() => client.end())).rows as never;
  };
  const make = async (text: string): Promise<true> => {
    const client = new pg.Client({ host: folder, user: 'postgres', database: 'postgres' });
    await client.connect();
    await client.query(text).finally(() => client.end());
    return true;
  };
  await until('PostgreSQL answers', () => make('SELECT').catch(() => false as const));
  await make(`CREATE ROLE bridge LOGIN PASSWORD '${PASSWORD}'`);
  await make('CREATE DATABASE bridge OWNER bridge');
  return { program, ask };
}

export function startBalancer(): Program {
  return startCommand([...at('balancer'), 'haproxy', '-db', '-f', '/etc/haproxy/haproxy.cfg']);
}

/** As the unit of the service gives it. */
export function environmentOf(machine: Machine, account: string): Record<string, string> {
  const lines = example('bridge.env').matchAll(/^([A-Z_]+)=(.*)$/gm);
  const settings = Object.fromEntries(Array.from(lines, ([, name = '', value = '']) => [name, value]));
  return {
    ...settings,
    STRATUM_BRIDGE_MINER_ACCOUNT: account,
    STRATUM_BRIDGE_DATA_DIR: folderOf(machine),
  };
}

/** @param more flags that the machine has besides. */
export function startAt(machine: Machine, account: string, words: readonly string[]): Program {
  return startProgram(words, environmentOf(machine, account), undefined, at(machine));
}

/** One that mines, where it stands. */
export function startRig(rig: number, account: string): Program {
  const words = ['rig', '--urls', `tcp://${BALANCER}:1917`, '--user', `${account}.${rig}`, '--threads', '1'];
  return startProgram(words, {}, undefined, [...at(`rig${rig}`), 'nice', '-n', '19']);
}

export interface Counts {
  readonly accepted: number;
  readonly unanswered: number;
}

export function countsOf(rig: Program): Counts {
  const last: (LogLine & { readonly submits?: Counts }) | undefined = rig.last('status');
  return last?.submits ?? { accepted: 0, unanswered: 0 };
}

/** What a bridge says to who has its token. Rejects where it does not say it soon. */
export async function asked<T>(machine: Machine, path: string): Promise<T> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(`http://${addressOf(machine)}:1920${path}`, { headers, signal });
  if (!response.ok && response.status !== 503)
    throw new Error(`${machine} answers ${response.status} to ${path}`);
  return (await response.json()) as T;
}
