/**
 * Ten minutes of shares of 30,000 rigs that wait on the disk, because database and queue were away: how soon they are booked, and what that takes
 * from rigs meanwhile, all in one process.
 */
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { SILENT } from '../../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { startShareRecorder } from '../../../src/queue/recording/recorder.js';
import { openShareQueue, SHARE_QUEUE_LIMITS, type ShareQueue } from '../../../src/queue/share-queue.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { openGate } from '../../helpers/processes/gate.js';
import { append, makeShare } from '../../helpers/rigs/shares.js';

const RIGS = 30_000;
const ROUNDS = 60;
const SLOT_MS = 10_000;
/** Between two shares that are timed. */
const EVERY_MS = 5;
const QUIET_MS = 5_000;

export interface BacklogFigures {
  readonly shares: number;
  readonly logMegabytes: number;
  readonly bookedPerSecond: number;
  /** From a share to its answer, before and while the backlog is booked. */
  readonly answerMs: Record<'before' | 'meanwhile', { readonly p50: number; readonly p99: number }>;
  readonly longestLoopMs: number;
}

export async function benchBacklog(
  rigs = Number(process.env['BENCH_RIGS'] ?? RIGS),
): Promise<BacklogFigures> {
  await using folder = await temporaryFolder();
  await using postgres = await startTestPostgres();
  const url = new URL(postgres.connectionString);
  const gate = await openGate(Number(url.port));
  url.port = String(gate.port);
  const connectionString = url.toString();
  const ledger = await openLedger({ connectionString, log: SILENT, waits: true });
  const connection = { backend: 'postgres', connectionString } as const;
  const shares = await openShareQueue({
    ...{ connection, folder: folder.path, ledger, place: 'bench', log: SILENT, newLogId: randomUUID },
    limits: SHARE_QUEUE_LIMITS,
  });
  const recorder = startShareRecorder({ connection, ledger, log: SILENT });
  try {
    await shares.announced;
    const before = await answers(shares, pause(QUIET_MS));
    const booked = (await ledger.totals()).shares;
    await gate.shut();
    await fill(shares, rigs);
    const { unshipped, logBytes } = await shares.stats();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAt = performance.now();
    await gate.open();
    const booking = untilBooked(ledger, booked + unshipped);
    const meanwhile = await answers(shares, booking);
    const seconds = (performance.now() - startedAt) / 1000;
    delay.disable();
    const figures: BacklogFigures = {
      ...{ shares: unshipped, logMegabytes: logBytes / 2 ** 20, bookedPerSecond: unshipped / seconds },
      ...{ answerMs: { before, meanwhile }, longestLoopMs: delay.max / 1e6 },
    };
    report(figures, seconds);
    return figures;
  } finally {
    await recorder.close();
    await shares.close();
    await ledger.close();
    await gate.shut();
  }
}

/** Each rig has a share in ten seconds. */
async function fill(shares: ShareQueue, rigs: number): Promise<void> {
  const firstMs = Date.now() - ROUNDS * SLOT_MS;
  for (let round = 0; round < ROUNDS; round++) {
    const acceptedAtMs = firstMs + round * SLOT_MS;
    for (let rig = 0; rig < rigs; ) {
      const some: Promise<void>[] = [];
      for (; rig < rigs && some.length < 3_000; rig++)
        some.push(append(shares, makeShare({ account: `k:${rig % 5000}`, rig: `rig${rig}`, acceptedAtMs })));
      await Promise.all(some);
    }
  }
}

async function untilBooked(ledger: Ledger, shares: number): Promise<void> {
  while ((await ledger.totals().catch(() => ({ shares: 0 }))).shares < shares) await pause(250);
}

/** Of one share after the other, until it is over. */
async function answers(shares: ShareQueue, over: Promise<unknown>): Promise<{ p50: number; p99: number }> {
  let isOver = false;
  void over.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const from = performance.now();
    await append(shares, makeShare({ account: 'k:timed', rig: 'timed' }));
    times.push(performance.now() - from);
    await pause(EVERY_MS);
  }
  await over;
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function report(
  { shares, logMegabytes, bookedPerSecond, answerMs, longestLoopMs }: BacklogFigures,
  seconds: number,
): void {
  const { before, meanwhile } = answerMs;
  const words = (one: { p50: number; p99: number }): string => `${one.p50.toFixed(1)}, ${one.p99.toFixed(1)}`;
  process.stdout.write(
    `a backlog of ${shares} shares (${logMegabytes.toFixed(0)} MiB of log) is booked in ${seconds.toFixed(0)} s, ${bookedPerSecond.toFixed(0)} a second; ` +
      `a share is answered in ${words(before)} ms before, ${words(meanwhile)} ms meanwhile (p50, p99); the loop is held for ${longestLoopMs.toFixed(1)} ms at the most\n`,
  );
}
