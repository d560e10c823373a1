/** What a bridge takes that nobody mines at: memory, processor, wakes, and statements at its database, beside a node whose chains stand. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase, startTestPostgres } from '../helpers/books/postgres.js';
import { temporaryFolder } from '../helpers/folder.js';
import { freePorts } from '../helpers/processes/ports.js';
import { startProgram } from '../helpers/processes/program.js';

/** Until what a start does is over. */
const SETTLE_MS = 60_000;
/** Linux counts hundredths. */
const TICKS = 100;

export interface RestFigures {
  readonly seconds: number;
  readonly megabytes: number;
  /** Of pages that no other process shares. */
  readonly ownMegabytes: number;
  readonly ofACore: number;
  readonly wakesPerSecond: number;
  readonly statementsPerSecond: number;
}

const BARS: Readonly<Record<keyof RestFigures, number>> = {
  seconds: Number.POSITIVE_INFINITY,
  megabytes: 92,
  ownMegabytes: Number.POSITIVE_INFINITY,
  ofACore: 0.0035,
  wakesPerSecond: 10,
  statementsPerSecond: 1,
};

export async function benchRest(seconds = Number(process.env['BENCH_SECONDS'] ?? 60)): Promise<RestFigures> {
  await using folder = await temporaryFolder();
  await using postgres = await startTestPostgres();
  const databaseUrl = await createDatabase(postgres);
  const [port = 0] = await freePorts(1);
  await using node = startProgram([
    ...['node', '--mining', '--listen', `127.0.0.1:${port}`, '--data-dir', `${folder.path}/node`],
  ]);
  await node.ready();
  await using bridge = startProgram([
    ...['serve', '--node-urls', `http://127.0.0.1:${port}`, '--miner-account', `k:${'ab'.repeat(32)}`],
    ...['--data-dir', `${folder.path}/bridge`, '--ledger-database-url', databaseUrl, '--cpu-mode', 'off'],
    ...['--stratum-tcp', '127.0.0.1:0', '--stratum-ws', 'off', '--web-listen', '127.0.0.1:0'],
  ]);
  await bridge.ready();
  await pause(SETTLE_MS);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const before = { ...ofProcess(bridge.pid), statements: await statements(client) };
  await pause(1000 * seconds);
  const after = { ...ofProcess(bridge.pid), statements: await statements(client) };
  await client.end();
  const figures: RestFigures = {
    seconds,
    ...memoryOf(bridge.pid),
    ofACore: (after.ticks - before.ticks) / TICKS / seconds,
    wakesPerSecond: (after.wakes - before.wakes) / seconds,
    // Its own question is one of them.
    statementsPerSecond: (after.statements - before.statements - 1) / seconds,
  };
  report(figures);
  return figures;
}

/** Transactions: most of what a bridge asks is one statement each. */
async function statements(client: pg.Client): Promise<number> {
  await client.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await client.query<{ count: number }>(
    'SELECT (xact_commit + xact_rollback)::float8 AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.count ?? 0;
}

function ofProcess(pid: number): { ticks: number; wakes: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const wakes = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { ticks: Number(fields[11]) + Number(fields[12]), wakes: Number(wakes?.[1]) };
}

function memoryOf(pid: number): Pick<RestFigures, 'megabytes' | 'ownMegabytes'> {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]);
  const own = kilobytes('Private_Clean') + kilobytes('Private_Dirty');
  return { megabytes: kilobytes('Rss') / 1024, ownMegabytes: own / 1024 };
}

function report(figures: RestFigures): void {
  process.stdout.write('| without rigs | measured | bar |\n|---|---|---|\n');
  for (const [name, figure] of Object.entries(figures) as [keyof RestFigures, number][]) {
    const bar = BARS[name];
    const says = Number.isFinite(bar) ? `${bar}${figure > bar ? ': **missed**' : ''}` : '';
    process.stdout.write(`| ${name} | ${figure.toPrecision(3)} | ${says} |\n`);
  }
  process.stdout.write(`${JSON.stringify({ bench: 'rest', ...figures })}\n`);
}
