/** A PostgreSQL and its standby, by PostgreSQL's own streaming replication: promoted without what was kept from it. */
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SILENT } from '../../../src/core/names/log.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';
import { temporaryFolder } from '../folder.js';
import { run } from '../processes/debian.js';
import { type Gate, openGate } from '../processes/gate.js';
import { addressOf } from '../runner/shared.js';
import { until } from '../until.js';
import { ask } from './ask-postgres.js';
import { MADE_CLUSTER, order } from './postgres.js';

export interface Pair extends AsyncDisposable {
  /** Of the one that is in use: the primary, and the standby once it is promoted. */
  readonly connectionString: string;
  /** The first value of the first row, as the standby has it. */
  askStandby(sql: string): Promise<string>;
  /** Until the standby has all that the primary has when this is called. */
  caughtUp(): Promise<void>;
  /** The standby hears of nothing that is committed from now on. */
  cut(): Promise<void>;
  /** The primary is killed, and the standby takes its place. Nobody gets to it yet. */
  promote(): Promise<void>;
  letIn(): Promise<void>;
}

type Close = () => PromiseLike<unknown>;

/** Nothing of it is left where not all of it starts. */
export async function startPair(): Promise<Pair> {
  const open: Close[] = [];
  const close = async (): Promise<void> => {
    for (const each of open.splice(0).reverse()) await each();
  };
  try {
    return { ...(await start(open)), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(open: Close[]): Promise<Omit<Pair, keyof AsyncDisposable>> {
  const folder = await temporaryFolder();
  open.push(() => folder[Symbol.asyncDispose]());
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  await run('mkdir', ['-m', '755', first, second]);
  // Two copies of one that was shut down in order: the second can follow the first from there.
  const made = join(await addressOf('PostgreSQL', process.env[MADE_CLUSTER] ?? ''), 'postgres');
  for (const each of [first, second]) await run('cp', ['-a', made, each]);
  const primary = await startServer(open, first);
  await appendFile(join(first, 'postgres', 'hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
  await order(primary.connectionString, 'SELECT pg_reload_conf()');
  const gate = await gateTo(open, primary);
  const stream = await gateTo(open, primary);
  const { username, password } = new URL(primary.connectionString);
  const source = `host=127.0.0.1 port=${stream.port} user=${username} password=${password}`;
  const data = join(second, 'postgres', 'data');
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  await writeFile(join(data, 'standby.signal'), '');
  const standby = await startServer(open, second);
  const connectionString = through(primary.connectionString, gate.port);
  const askStandby = (sql: string): Promise<string> => ask(standby, sql);
  return {
    ...{ connectionString, askStandby },
    caughtUp: async () => {
      const at = await ask(primary, 'SELECT pg_current_wal_flush_lsn()');
      const isThere = `SELECT pg_last_wal_replay_lsn() >= '${at}'`;
      await until('the standby has caught up', async () => (await askStandby(isThere)) === 'true');
    },
    cut: () => stream.shut(),
    promote: async () => {
      await gate.shut();
      await primary.close(0);
      gate.turnTo(portOf(standby));
      await order(standby.connectionString, 'SELECT pg_promote()');
    },
    letIn: () => gate.open(),
  };
}

async function startServer(open: Close[], dataDir: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: SILENT, byTcp: true });
  let closed: Promise<void> | undefined;
  const close = (withinMs?: number): Promise<void> => {
    closed ??= server.close(withinMs);
    return closed;
  };
  open.push(close);
  return { ...server, close };
}

async function gateTo(open: Close[], server: EmbeddedPostgres): Promise<Gate> {
  const gate = await openGate(portOf(server));
  open.push(() => gate.shut());
  return gate;
}

const portOf = ({ connectionString }: EmbeddedPostgres): number => Number(new URL(connectionString).port);

function through(connectionString: string, port: number): string {
  const url = new URL(connectionString);
  url.port = String(port);
  return url.toString();
}
