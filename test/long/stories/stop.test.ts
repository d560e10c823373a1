/** The end of a bridge whose database answers no question any more. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { type DevNode, startDevNode } from '../../../src/devnode/dev-node.js';
import { findEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';
import { until } from '../../helpers/until.js';

const ANY = '127.0.0.1:0';
const TABLES = `SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS tables FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
/** It makes them with its first entry, when the bridge is ready already. */
const QUEUE_STANDS = `SELECT to_regclass('stratum_queue.job') IS NOT NULL AS stands`;

/** Mines, so that there are shares to ship and lines to write. */
async function startServe(node: DevNode, dataDir: string): Promise<Program> {
  const serve = startProgram([
    'serve',
    ...[
      '--node-urls',
      node.url,
      '--miner-account',
      `k:${'ab'.repeat(32)}`,
      '--data-dir',
      dataDir,
      '--log-level',
      'debug',
    ],
    ...['--cpu-mode', 'simulation', '--stratum-tcp', ANY, '--stratum-ws', 'off', '--web-listen', ANY],
  ]);
  await serve.ready();
  return serve;
}

/** Resolves once nobody but this connection can read or write a table. Whoever has one table and wants another may be in the way of that. */
async function lockAll(dataDir: string): Promise<pg.Client> {
  return until('all tables are locked', () =>
    tryLockAll(dataDir).catch((error: pg.DatabaseError) => {
      if (error.code !== DEADLOCK) throw error;
      return undefined;
    }),
  );
}

const DEADLOCK = '40P01';

async function tryLockAll(dataDir: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: await findEmbeddedPostgres(dataDir) });
  client.on('error', () => {}); // the server ends before it
  await client.connect();
  await until('the queue has its tables', async () => {
    const { rows } = await client.query<{ stands: boolean }>(QUEUE_STANDS);
    return rows[0]?.stands;
  });
  const { rows } = await client.query<{ tables: string }>(TABLES);
  await client.query('BEGIN');
  await client.query(`LOCK TABLE ${rows[0]?.tables} IN ACCESS EXCLUSIVE MODE`);
  return client;
}

/** What its PostgreSQL has said of its ends. */
async function endsOf(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'postgres/data/log');
  const logs = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')));
  return logs
    .join('')
    .split('\n')
    .filter((line) => /received .* shutdown request|database system is shut down|interrupted/.test(line));
}

it('a bridge ends by itself, and its PostgreSQL in order', async () => {
  await using folder = await temporaryFolder();
  const node = await startDevNode({ proofOfWork: false });
  try {
    await using serve = await startServe(node, folder.path);
    const client = await lockAll(folder.path);
    await until('the queue is missed', () =>
      serve.lines.some(({ msg }) => msg?.includes('the share queue takes nothing now')),
    );
    serve.kill('SIGTERM');
    // A stop that takes too long is ended by the signal.
    expect(await serve.ended).toBe(0);
    expect(serve.last('stopped')).toBeDefined();
    const left = serve.lines.filter(({ msg }) => msg?.includes('left behind')).map(({ part }) => part);
    expect(left).not.toEqual([]);
    expect(left).not.toContain('embedded PostgreSQL');
    expect(await endsOf(folder.path)).toEqual([
      expect.stringContaining('received fast shutdown request'),
      expect.stringContaining('database system is shut down'),
    ]);
    await client.end();
  } finally {
    await node.close();
  }
});
