/** What a log keeps after it was shipped: against a queue that loses it, a ledger that goes back, and one that is another. */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { LogLedger } from '../../src/bridge/ports.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { dumpBooks } from '../../src/ledger/copies/dump.js';
import { restoreBooks } from '../../src/ledger/copies/restore.js';
import { verifyBooks } from '../../src/ledger/proof/verify.js';
import type { EntryAdder } from '../../src/queue/bullmq/entry-queue.js';
import {
  openShareQueue,
  SHARE_QUEUE_LIMITS,
  type ShareQueue,
  type ShareQueueLimits,
} from '../../src/queue/share-queue.js';
import { decodeEntry, type EncodedEntry } from '../../src/queue/shipping/entry.js';
import { useBooks } from '../helpers/books/books.js';
import { withTemporaryFolder } from '../helpers/books/postgres.js';
import { append, makeShare } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

const books = useBooks();
beforeEach(() => books.empty());

/** A queue and its recorder in one, which may lose what it takes. */
class Queue implements EntryAdder {
  isLosing = false;
  isLosingFirst = false;
  readonly taken: string[] = [];

  async add(entry: EncodedEntry): Promise<void> {
    this.taken.push(`${entry.id[1]}`);
    if (!this.isLosing && !(this.isLosingFirst && entry.id[1] === 1))
      await books.ledger.recordEntry(decodeEntry(entry));
  }

  async counts() {
    return { waiting: 0, failed: 0 };
  }

  async close(): Promise<void> {}
}

/** The books, which may be away. */
class Ledger implements LogLedger {
  isAway = false;
  otherId: string | undefined;

  get #books(): LogLedger {
    if (this.isAway) throw new Error('away');
    return books.ledger;
  }

  id = async () => this.otherId ?? this.#books.id();
  renewLogs = async (...given: Parameters<LogLedger['renewLogs']>) => this.#books.renewLogs(...given);
  missingEntries = async (...given: Parameters<LogLedger['missingEntries']>) =>
    this.#books.missingEntries(...given);
  conflictingEntries = async (...given: Parameters<LogLedger['conflictingEntries']>) =>
    this.#books.conflictingEntries(...given);
  giveUpEntries = async (...given: Parameters<LogLedger['giveUpEntries']>) =>
    this.#books.giveUpEntries(...given);
}

const running = new Set<ShareQueue>();

async function shut(shares: ShareQueue): Promise<void> {
  if (running.delete(shares)) await shares.close();
}

interface Opened {
  readonly limits?: Partial<ShareQueueLimits>;
  readonly log?: Log;
  readonly ledger?: LogLedger;
  readonly queue?: EntryAdder;
  readonly nowMs?: () => number;
  readonly isTimeKnown?: boolean;
}

async function open(dataDir: string, opened: Opened = {}): Promise<ShareQueue> {
  const { limits, log = SILENT, ledger = books.ledger, queue = new Queue(), ...clock } = opened;
  const shares = await openShareQueue({
    ...{ connection: { backend: 'redis', url: 'redis://none.invalid' }, folder: dataDir, ledger, log, queue },
    ...{ place: 'host:/data', newLogId: randomUUID, ...clock },
    limits: { ...SHARE_QUEUE_LIMITS, shipMs: 20, renewMs: 30, ...limits },
  });
  running.add(shares);
  onTestFinished(() => shut(shares));
  return shares;
}

const segments = async (dataDir: string): Promise<number> =>
  (await readdir(join(dataDir, 'shares'))).filter((name) => name.endsWith('.shares')).length;
const bookedShares = async (): Promise<number> => (await books.ledger.totals()).shares;
const broken = async () => (await verifyBooks(books.pool)).flatMap((proof) => proof.broken);

async function mine(shares: ShareQueue, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await append(shares, makeShare({ rig: `r${i % 5}` }));
}

async function dumped(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of dumpBooks(books.pool)) lines.push(line);
  return lines;
}

async function restored(lines: readonly string[]): Promise<void> {
  await books.empty();
  await restoreBooks(
    books.pool,
    (async function* () {
      yield* lines;
    })(),
    'none',
  );
}

describe('segments that are booked', () => {
  it('are kept for a time, and no more of them than may be, the oldest going first', () =>
    withTemporaryFolder(async (dataDir) => {
      const shares = await open(dataDir, { limits: { segmentBytes: 2_000, keepBytes: 9_000 } });
      await mine(shares, 400);
      await expect.poll(bookedShares).toBe(400);
      await expect.poll(async () => (await shares.stats()).logBytes).toBeLessThan(3_000);
      await expect.poll(() => segments(dataDir)).toBeLessThan(8);
      expect(await segments(dataDir)).toBeGreaterThan(3);
      await shut(shares);
      // A later start keeps them too, knows that they are booked, and waits for nothing.
      const later = await open(dataDir, { limits: { segmentBytes: 2_000 } });
      await later.announced;
      await expect.poll(async () => (await later.stats()).logBytes).toBeLessThan(3_000);
      expect(await segments(dataDir)).toBeGreaterThan(3);
      await shut(later);
      const last = await open(dataDir, { limits: { keepMs: 0 } });
      await expect.poll(() => segments(dataDir)).toBe(1);
      await shut(last);
      expect(await bookedShares()).toBe(400);
    }));

  it('leave a hole that a later start neither ships nor gives up', () =>
    withTemporaryFolder(async (dataDir) => {
      const limits = { segmentBytes: 2_000, keepMs: 0 };
      const queue = new Queue();
      queue.isLosingFirst = true;
      const shares = await open(dataDir, { limits, queue });
      for (let i = 1; i <= 10; i++) {
        await mine(shares, 40);
        await expect.poll(() => queue.taken.length).toBeGreaterThan(2 * i);
      }
      await expect.poll(bookedShares).toBeGreaterThan(300);
      await expect.poll(() => segments(dataDir)).toBeLessThan(4);
      await shut(shares);
      const later = new Queue();
      const sure = await open(dataDir, { limits, queue: later });
      await expect.poll(bookedShares).toBe(400);
      await expect.poll(() => segments(dataDir)).toBe(1);
      await shut(sure);
      expect(later.taken[0]).toBe('1');
      expect(later.taken.filter((number) => Number(number) > 2)).toEqual([]);
      const { rows } = await books.pool.query('SELECT FROM unbooked');
      expect(rows).toEqual([]);
      expect(await broken()).toEqual([]);
    }));

  it('do not count for what the log may hold', () =>
    withTemporaryFolder(async (dataDir) => {
      const limits = { segmentBytes: 2_000, totalBytes: 20_000 };
      const shares = await open(dataDir, { limits });
      for (let i = 0; i < 10; i++) {
        await mine(shares, 100);
        await expect.poll(bookedShares).toBe(100 * (i + 1));
        await expect.poll(async () => (await shares.stats()).logBytes).toBeLessThan(6_000);
      }
      expect(await segments(dataDir)).toBeGreaterThan(10);
      await shut(shares);
    }));
});

describe('what was shipped', () => {
  it('B11: and is not booked after a while is shipped again, aloud, and booked once', () =>
    withTemporaryFolder(async (dataDir) => {
      const said: [object, string][] = [];
      const log: Log = { ...SILENT, error: (fields: object, words: string) => said.push([fields, words]) };
      const queue = new Queue();
      queue.isLosing = true;
      const shares = await open(dataDir, { queue, log, limits: { againMs: 300 } });
      await mine(shares, 3);
      await expect.poll(async () => (await shares.stats()).unshipped).toBe(0);
      expect(await bookedShares()).toBe(0);
      queue.isLosing = false;
      await expect.poll(bookedShares).toBe(3);
      expect(said[0]?.[1]).toContain('shipped again from the share log');
      await shut(shares);
      expect(await bookedShares()).toBe(3);
      expect(await broken()).toEqual([]);
    }));

  it('LQ11: comes into a ledger that was restored from a dump of before; what nobody has any more is given up', () =>
    withTemporaryFolder(async (dataDir) => {
      const said: [object, string][] = [];
      const log: Log = { ...SILENT, error: (fields: object, words: string) => said.push([fields, words]) };
      const [ledger, queue] = [new Ledger(), new Queue()];
      const limits = { segmentBytes: 1_000, keepBytes: 4_000, againMs: 300 };
      const shares = await open(dataDir, { ledger, queue, log, limits });
      await mine(shares, 5);
      await expect.poll(bookedShares).toBe(5);
      const lines = await dumped();
      // The log does not keep all of these.
      await mine(shares, 200);
      await expect.poll(bookedShares).toBe(205);
      await expect.poll(() => segments(dataDir)).toBeLessThan(8);
      ledger.isAway = true;
      queue.isLosing = true;
      await mine(shares, 1);
      await restored(lines);
      expect(await bookedShares()).toBe(5);
      queue.isLosing = false;
      ledger.isAway = false;
      const one = async () =>
        (await books.pool.query('SELECT numbers::text, declared_shares::int AS shares FROM log')).rows;
      await expect
        .poll(one)
        .toMatchObject([{ shares: 206, numbers: expect.stringMatching(/^\{\[1,\d+\)\}$/) }]);
      const kept = await bookedShares();
      expect(kept).toBeGreaterThan(20);
      expect(kept).toBeLessThan(206);
      expect(said.map(([, words]) => words)).toContainEqual(expect.stringContaining('they are given up'));
      const { rows } = await books.pool.query('SELECT says FROM event');
      expect(rows).toEqual([
        { says: expect.stringMatching(/^entries \d+ to \d+ of the log .* are given up/) },
      ]);
      await shut(shares);
      // No split waits for it.
      expect((await books.pool.query('SELECT ended FROM log')).rows).toEqual([{ ended: true }]);
      expect(await broken()).toEqual([]);
      const noted = (await verifyBooks(books.pool)).flatMap((proof) => proof.noted);
      expect(noted).toContainEqual(
        expect.stringMatching(/^the bridge at host:\/data gave up .* its entries \d+/),
      );
    }));
});

describe('the ledger of a log', () => {
  it('is the one that answered first: nothing is shipped before it answers, nor to another', () =>
    withTemporaryFolder(async (dataDir) => {
      const [ledger, queue] = [new Ledger(), new Queue()];
      ledger.isAway = true;
      const shares = await open(dataDir, { ledger, queue });
      await mine(shares, 3);
      await expect.poll(async () => (await shares.stats()).heldBack).toBe(3);
      expect(queue.taken).toEqual([]);
      ledger.isAway = false;
      await expect.poll(bookedShares).toBe(3);
      await shut(shares);

      const other = new Ledger();
      other.otherId = randomUUID();
      const elsewhere = new Queue();
      const strange = await open(dataDir, { ledger: other, queue: elsewhere });
      await mine(strange, 2);
      const { message } = await strange.refused;
      expect(message).toContain(await books.ledger.id());
      expect(message).toContain(other.otherId);
      expect(message).toContain('`stratum-bridge ledger adopt --note TEXT`');
      await shut(strange);
      expect(elsewhere.taken).toEqual([]);

      const back = await open(dataDir);
      await expect.poll(bookedShares).toBe(5);
      await shut(back);
    }));
});

describe('a log whose clock would go back', () => {
  const logs = async () =>
    (await books.pool.query('SELECT shares::int, ended FROM log ORDER BY shares')).rows;
  /** That of accepted shares. */
  const latest = async (): Promise<Date | undefined> =>
    (await books.pool.query('SELECT max(starts_at) AS latest FROM rig_work')).rows[0]?.latest;

  it('LQ7: ends, and a new one begins: no time in it is one that has not come', () =>
    withTemporaryFolder(async (dataDir) => {
      let aheadMs = 3_600_000;
      const nowMs = (): number => Date.now() + aheadMs;
      const shares = await open(dataDir, { nowMs });
      const mineNow = async (count: number): Promise<void> => {
        for (let i = 0; i < count; i++) await append(shares, makeShare({ acceptedAtMs: nowMs() }));
      };
      await mineNow(3);
      await expect.poll(bookedShares).toBe(3);
      const former = shares.logId;
      aheadMs = 0;
      await expect.poll(() => shares.logId).not.toBe(former);
      await mineNow(5);
      await expect.poll(logs).toEqual([
        { shares: 3, ended: true },
        { shares: 5, ended: false },
      ]);
      // The first ones are of no time that has not come, either.
      expect(((await latest()) ?? new Date(0)).getTime()).toBeLessThanOrEqual(Date.now());
      const watermark = 'SELECT watermark <= now() AS past FROM log WHERE id = $1';
      await expect
        .poll(async () => (await books.pool.query(watermark, [shares.logId])).rows)
        .toEqual([{ past: true }]);
      await shut(shares);
      expect(await broken()).toEqual([]);
    }));

  it('ends as well where it was begun before the ledger said what time it is; a second that it goes back ends none', () =>
    withTemporaryFolder(async (dataDir) => {
      let aheadMs = 900;
      const ledger = new Ledger();
      ledger.isAway = true;
      const nowMs = (): number => Date.now() + aheadMs;
      const shares = await open(dataDir, { ledger, nowMs, isTimeKnown: false });
      const former = shares.logId;
      await mine(shares, 4);
      await expect.poll(async () => (await shares.stats()).heldBack).toBe(4);
      expect(shares.logId).toBe(former);
      ledger.isAway = false;
      await expect.poll(() => shares.logId).not.toBe(former);
      const { logId } = shares;
      await mine(shares, 2);
      aheadMs = 0;
      await mine(shares, 3);
      await expect.poll(bookedShares).toBe(9);
      expect(shares.logId).toBe(logId);
      await shut(shares);
      expect(await logs()).toEqual([
        { shares: 4, ended: true },
        { shares: 5, ended: true },
      ]);
    }));

  it('keeps its solutions, and what becomes of them, where it ends', () =>
    withTemporaryFolder(async (dataDir) => {
      let aheadMs = 3_600_000;
      const nowMs = (): number => Date.now() + aheadMs;
      const shares = await open(dataDir, { nowMs });
      const former = shares.logId;
      const solution = makeSolution({ foundAtMs: nowMs() });
      await shares.recordSolution(solution, 'found', '');
      await mine(shares, 1);
      aheadMs = 0;
      await expect.poll(() => shares.logId).not.toBe(former);
      await shares.recordSolution(solution, 'received', '');
      const found = 'SELECT said AS state, log FROM block';
      await expect
        .poll(async () => (await books.pool.query(found)).rows)
        .toEqual([{ state: 'received', log: former }]);
      await shut(shares);
    }));
});
