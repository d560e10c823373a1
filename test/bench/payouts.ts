/**
 * A batch of many accounts on twenty chains, to its end: how long it takes to plan it, how many lines each block takes, what of the
 * heap is left, and what rigs that are connected to the same process feel of it. Real books, a real node in a process of its own,
 * the key file and its log. Between two blocks there are as many rounds as half a minute has room for.
 */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { SILENT } from '../../src/core/names/log.js';
import { accountIds } from '../../src/ledger/accounts/accounts.js';
import { inTransaction } from '../../src/ledger/database/transaction.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { OPERATOR_ID, post } from '../../src/ledger/settlement/posting.js';
import { payerBooks } from '../../src/ledger/transactions/payer-books.js';
import { NodeClient } from '../../src/node-client/client.js';
import { openEyes } from '../../src/payouts/evidence/open-eyes.js';
import { newMemory, type Round } from '../../src/payouts/payer/parts.js';
import { goRound } from '../../src/payouts/payer/payer.js';
import { openFileSigner } from '../../src/payouts/signer/file-signer.js';
import { newKeyFile } from '../../src/payouts/signer/key-file.js';
import { newSignerLog, signerLogOf } from '../../src/payouts/signer/signer-log.js';
import { startTestPostgres } from '../helpers/books/postgres.js';
import { TERMS } from '../helpers/payouts/terms.js';
import { NETWORK, PAYER } from '../helpers/payouts/world.js';
import { startBench } from './stratum/stratum-server.js';
import { Peer, quantiles } from './stratum/stratum-subject.js';

const CHAINS = 20;
/** Of the development network. */
const DEPTH = 6;
const RIGS = 100;
const MOST_PLANNED_S = 60;
const BLOCK_S = 30;
/** Between two rounds of a payer. */
const PAUSE_S = 3;
const MOST_BLOCKS = 400;

export interface PayoutsBench {
  readonly accounts: number;
  readonly plannedS: number;
  /** Until the last line was in a block. */
  readonly blocksToPay: number;
  /** Of those blocks that had any, on one chain. */
  readonly linesABlock: { readonly mean: number; readonly most: number };
  readonly roundS: { readonly p50: number; readonly slowest: number };
  readonly heapMiB: { readonly before: number; readonly most: number; readonly after: number };
  readonly answerMs: { readonly idle: number; readonly meanwhile: number; readonly meanwhileP99: number };
}

export async function benchPayouts({
  accounts = Number(process.env['BENCH_ACCOUNTS'] ?? 10_000),
} = {}): Promise<PayoutsBench> {
  await using node = await Peer.start('payoutsNode');
  await using rigs = await Peer.start('load');
  const folder = await mkdtemp(join(tmpdir(), 'stratum-bridge-bench-'));
  const postgres = await startTestPostgres();
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  const client = await NodeClient.connect(await node.call<string>('url'), 30_000, {
    verify: { proofOfWork: true },
  });
  const { calls, server } = await startBench({});
  const pace = async (): Promise<number[]> => rigs.call('pace', calls.jobIds()[0] ?? '', 2_000);
  try {
    await owe(ledger.pool, accounts);
    await rigs.call('open', calls.port(), RIGS, 'ready');
    const idle = quantiles(await pace()).p50;
    const round = await roundOf(ledger.pool, client, join(folder, 'payouts.key'));
    const told = await batch(round, ledger.pool, node, pace);
    const { seat, signer } = round;
    await signer?.close();
    await seat.close();
    const bench = { accounts, ...told, answerMs: { idle, ...told.answerMs } };
    report(bench);
    return bench;
  } finally {
    await server.close();
    await client.close();
    await ledger.close();
    await postgres.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const nameOf = (i: number): string => `k:${createHash('sha256').update(`account ${i}`).digest('hex')}`;

async function owe(pool: pg.Pool, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, i) => nameOf(i));
  await inTransaction(pool, async (sql) => {
    const ids = await accountIds(sql, names);
    const amounts = names.map((_, i) => 10n ** 12n + BigInt(i) * 100_000_001n);
    const total = amounts.reduce((sum, one) => sum + one, 0n);
    const lines = names.map((name, i) => ({
      accountId: ids.get(name) ?? 0,
      book: 'balance' as const,
      amount: amounts[i] ?? 0n,
    }));
    await post(sql, {
      cause: 'given',
      lines: [...lines, { accountId: OPERATOR_ID, book: 'rewards', amount: -total }],
    });
  });
}

async function roundOf(pool: pg.Pool, client: NodeClient, keyFile: string): Promise<Round> {
  const lock = async () => ({ release: async () => {} });
  await newKeyFile(keyFile, undefined, () => Buffer.from(PAYER.secret));
  await newSignerLog(signerLogOf(keyFile), PAYER.key, Date.now());
  const { account } = PAYER;
  const signer = await openFileSigner({
    ...{ keyFile, account, networkId: NETWORK, gas: 10n ** 10n, nowMs: () => Date.now(), lock },
  });
  const eyes = openEyes({
    ...{ nodes: [{ name: 'a', client: () => client }], account, networkId: NETWORK, depth: DEPTH },
    nowMs: () => Date.now(),
  });
  const desk = payerBooks({ pool, gasPaidBy: 'operator' });
  const seat = await desk.takeSeat('bench');
  if (!seat) throw new Error('another payer has the seat');
  await seat.bind(account, NETWORK);
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return {
    ...{ terms: { ...TERMS, depth: DEPTH }, log: SILENT, memory: newMemory(), seat, eyes, signer },
    signal,
    chainIds: async () => Array.from({ length: CHAINS }, (_, i) => i),
    nextAfter: (ms) => ms + 1,
  };
}

type Told = Omit<PayoutsBench, 'accounts' | 'answerMs'> & {
  readonly answerMs: Omit<PayoutsBench['answerMs'], 'idle'>;
};

async function batch(round: Round, pool: pg.Pool, node: Peer, pace: () => Promise<number[]>): Promise<Told> {
  for (let i = 0; i < DEPTH + 2; i++) await node.call('mine');
  await goRound({ ...round, nextAfter: () => undefined });
  const before = heapMiB();
  const plannedS = await secondsOf(() => goRound(round));
  const waits: number[] = [];
  let isOver = false;
  const pacing = (async () => {
    while (!isOver) waits.push(...(await pace()));
  })();
  const rounds: number[] = [];
  let [most, blocksToPay] = [before, 0];
  try {
    for (let block = 1; ; block++) {
      if (block > MOST_BLOCKS) throw new Error('the batch does not come to an end');
      rounds.push(...(await roundsOfABlock(round, pool)));
      await node.call('mine');
      most = Math.max(most, process.memoryUsage().heapUsed / 2 ** 20);
      const { open, followed } = await progress(pool);
      if (open > 0) blocksToPay = block;
      if (followed === 0) break;
    }
  } finally {
    isOver = true;
    await pacing;
  }
  rounds.sort((a, b) => a - b);
  const { p50, p99 } = quantiles(waits);
  return {
    ...{ plannedS, blocksToPay, linesABlock: await linesABlock(pool) },
    roundS: { p50: quantiles(rounds).p50, slowest: rounds.at(-1) ?? 0 },
    heapMiB: { before, most, after: heapMiB() },
    answerMs: { meanwhile: p50, meanwhileP99: p99 },
  };
}

/** As many rounds as a block has time for, of their own time and the pause between two, which is not waited. Fewer where nothing is left to do. */
async function roundsOfABlock(round: Round, pool: pg.Pool): Promise<number[]> {
  const took: number[] = [];
  let passedS = 0;
  do {
    const roundS = await secondsOf(() => goRound({ ...round, nextAfter: () => undefined }));
    took.push(roundS);
    passedS += roundS + PAUSE_S;
  } while (passedS < BLOCK_S && (await hasUnsent(pool)));
  return took;
}

async function hasUnsent(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ has: boolean }>(
    "SELECT EXISTS (SELECT FROM payment WHERE state = 'prepared') AS has",
  );
  return rows[0]?.has === true;
}

/** After all that nobody holds is gone: the benchmarks run with `--expose-gc`, or are told so. */
function heapMiB(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

async function secondsOf(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return (performance.now() - from) / 1000;
}

async function progress(pool: pg.Pool): Promise<{ open: number; followed: number }> {
  const { rows } = await pool.query<{ open: number; followed: number }>(
    `SELECT (SELECT count(*)::int FROM payment l WHERE NOT EXISTS (
       SELECT FROM transaction t WHERE t.payment_id = l.id AND t.block_hash IS NOT NULL)) AS open,
     (SELECT count(*)::int FROM payment l WHERE NOT EXISTS (
       SELECT FROM transaction t WHERE t.payment_id = l.id AND t.state = 'final')) AS followed`,
  );
  return rows[0] ?? { open: 0, followed: 0 };
}

async function linesABlock(pool: pg.Pool): Promise<PayoutsBench['linesABlock']> {
  const { rows } = await pool.query<{ mean: number; most: number }>(
    `SELECT avg(n)::float8 AS mean, max(n)::int AS most FROM (
       SELECT count(*) AS n FROM transaction WHERE block_hash IS NOT NULL GROUP BY chain_id, block_hash) blocks`,
  );
  return rows[0] ?? { mean: 0, most: 0 };
}

function report(bench: PayoutsBench): void {
  const { accounts, plannedS, blocksToPay, linesABlock, roundS, heapMiB, answerMs } = bench;
  const planned = plannedS > MOST_PLANNED_S ? ` **missed** (bar ${MOST_PLANNED_S} s)` : '';
  const one = (value: number): string => value.toFixed(1);
  process.stdout.write(`${accounts} accounts on ${CHAINS} chains, depth ${DEPTH}, ${RIGS} rigs at the same process

| what | measured |
| --- | --- |
| planned and prepared, s | ${one(plannedS)}${planned} |
| blocks of each chain until all lines were in one | ${blocksToPay} |
| lines a block that has any, mean / most | ${one(linesABlock.mean)} / ${linesABlock.most} |
| a round, p50 / slowest, s | ${one(roundS.p50)} / ${one(roundS.slowest)} |
| heap before / most / after, MiB | ${one(heapMiB.before)} / ${one(heapMiB.most)} / ${one(heapMiB.after)} |
| a rig's answer, p50 idle / meanwhile / p99 meanwhile, ms | ${answerMs.idle.toFixed(2)} / ${answerMs.meanwhile.toFixed(2)} / ${one(answerMs.meanwhileP99)} |
`);
  process.stdout.write(`${JSON.stringify({ bench: 'payouts', ...bench })}\n`);
}
