/** What it takes to weigh, split and post a block of a large pool: 5,000 accounts with 20 rigs each, and a day and more of their work. */

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { SILENT } from '../../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { settleBlocks } from '../../../src/ledger/settlement/splitting.js';
import { weighBlocks } from '../../../src/ledger/settlement/weighing.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { recordSolution } from '../../helpers/books/record-solution.js';
import { signRoot } from '../../helpers/books/root-key.js';
import { sawBlock } from '../../helpers/books/settlement.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';
import { type Took, took } from '../processors.js';
import { fill, partitionsSince } from './partitions.js';

export interface SplitBench {
  readonly accounts: number;
  readonly rigs: number;
  readonly single: readonly SplitRow[];
  readonly backlog: BacklogRow;
}

export interface SplitRow extends Took {
  readonly what: string;
}

export interface BacklogRow {
  readonly blocks: number;
  /** Each, of the first and the last tenth. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  /** How much more memory this process had at its most. */
  readonly megabytes: number;
  /** Entries of 100 shares recorded a second, alone and meanwhile. */
  readonly recordedAlone: number;
  readonly recordedMeanwhile: number;
}

const MOST_SECONDS = 0.5;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SLOT_MS = 10_000;
const SHARES_A_MINUTE = 1e15;

export async function benchSplit({
  accounts = 5000,
  rigs = 100_000,
  blocks = 200,
} = {}): Promise<SplitBench> {
  const postgres = await startTestPostgres();
  const { connectionString } = postgres;
  const ledger = await openLedger({ connectionString, log: SILENT });
  try {
    const pool = new Pool(ledger, connectionString, accounts, rigs);
    await pool.make();
    const single: SplitRow[] = [];
    for (const [what, rules, count] of CASES)
      single.push({ what, ...(await medianOf(() => pool.split(rules, count))) });
    const bench = { accounts, rigs, single, backlog: await pool.backlog(blocks) };
    report(bench);
    return bench;
  } finally {
    await ledger.close();
    await postgres.close();
  }
}

/** Of three times, each figure by itself. */
async function medianOf(once: () => Promise<Took>): Promise<Took> {
  const all = [await once(), await once(), await once()];
  const middle = (figure: (took: Took) => number): number =>
    all.map(figure).toSorted((a, b) => a - b)[1] ?? Number.NaN;
  const postgres = all.every((one) => one.postgres !== undefined)
    ? middle((one) => one.postgres ?? 0)
    : undefined;
  return { seconds: middle((one) => one.seconds), postgres, node: middle((one) => one.node) };
}

/** A block's difficulty is the work of an hour. */
const window = (hours: number): RewardRules['pplnsWindow'] => ({
  of: 'difficulty',
  permille: BigInt(1000 * hours),
});
const CASES: readonly (readonly [string, RewardRules, number])[] = [
  ['pplns by work, 4 h', { ...REWARD_RULES, scheme: 'pplns', pplnsWindow: window(4) }, 1],
  ['pplns by work, 36 h', { ...REWARD_RULES, scheme: 'pplns', pplnsWindow: window(36) }, 1],
  [
    'pplns by time, 4 h',
    { ...REWARD_RULES, scheme: 'pplns', pplnsWindow: { of: 'time', ms: 4 * HOUR_MS } },
    1,
  ],
  ['prop, a round of a day', { ...REWARD_RULES, scheme: 'prop' }, 1],
  ['solo', { ...REWARD_RULES, scheme: 'solo' }, 1],
  ['pplns by work, 4 h, 20 blocks', { ...REWARD_RULES, scheme: 'pplns', pplnsWindow: window(4) }, 20],
];

/** Work of two days, as recorders and upkeep have left it. */
class Pool {
  readonly #ledger: Ledger;
  readonly #url: string;
  readonly #accounts: number;
  readonly #rigs: number;
  /** The slot of the block that is split: of a minute of which the most is to be read slot by slot. */
  readonly #slotMs = Math.floor(Date.now() / MINUTE_MS - 1) * MINUTE_MS + 4 * SLOT_MS;

  constructor(ledger: Ledger, url: string, accounts: number, rigs: number) {
    this.#ledger = ledger;
    this.#url = url;
    this.#accounts = accounts;
    this.#rigs = rigs;
  }

  async make(): Promise<void> {
    const { pool } = this.#ledger;
    await this.#query(
      `SELECT know_rigs(array_agg('k:' || lpad((i % $1)::text, 64, 'a')), array_agg('rig' || i)) FROM generate_series(1, $2::int) i`,
      [this.#accounts, this.#rigs],
    );
    const perAccount = `trunc(${SHARES_A_MINUTE / this.#accounts}::numeric * SECONDS / 60 + a.id)`;
    await fill(
      this.#url,
      await partitionsSince(pool, 'account_work', Date.now() - 48 * HOUR_MS),
      'account_id, kind, submits, work, squares, expected',
      `a.id, 0, 120 * SECONDS / 60, a.work, 1e20, 1000000
       FROM times, (SELECT id, ${perAccount} AS work FROM account a WHERE id <> 0
                    UNION ALL SELECT 0, sum(${perAccount}) FROM account a WHERE id <> 0) a`,
    );
    await this.#query(
      "SELECT need_partition('rig_work', now() - i * interval '1 hour') FROM generate_series(0, 2) i",
    );
    // Slots of minutes in which a round begins and ends.
    for (const minuteMs of [this.#slotMs, this.#slotMs - HOUR_MS])
      await this.#query(
        `INSERT INTO rig_work (starts_at, rig_id, kind, submits, work)
         SELECT to_timestamp(s), r.id, 0, 1, 1e9 + r.id FROM generate_series($1::bigint, $1 + 50, 10) s, rig r
         WHERE (r.id * 7919::bigint + s) % 100 < 63 ORDER BY 1, 2`,
        [(Math.floor(minuteMs / MINUTE_MS) * MINUTE_MS) / 1000],
      );
    await this.#query('VACUUM ANALYZE');
    await this.#query('CHECKPOINT');
    // Each of these is split for the first time: what a database does at first only, another block does.
    await this.split(CASES[0]?.[1] ?? REWARD_RULES, 1);
  }

  /** So many blocks, each of a slot of its own. */
  async split(rules: RewardRules, blocks: number): Promise<Took> {
    await this.#find(blocks);
    return took(this.#ledger.pool, () => this.#settle(rules));
  }

  async backlog(blocks: number): Promise<BacklogRow> {
    const { pool } = this.#ledger;
    const rules: RewardRules = { ...REWARD_RULES, scheme: 'pplns', pplnsWindow: window(4) };
    const recordedAlone = await this.#record(async (isOver) => void (await later(4000, isOver)));
    await this.#find(blocks);
    const settledAt: number[] = [];
    let mostBytes = 0;
    const beforeBytes = process.memoryUsage().rss;
    const watched = setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage().rss);
    }, 50);
    const recordedMeanwhile = await this.#record(async () => {
      const startedAt = performance.now();
      const stop = new AbortController();
      const times = setInterval(async () => {
        const { rows } = await pool.query<{ n: number }>(
          'SELECT count(*)::int AS n FROM block WHERE weighed_at IS NOT NULL',
        );
        settledAt[rows[0]?.n ?? 0] ??= performance.now() - startedAt;
      }, 100);
      await this.#settle(rules, stop.signal);
      clearInterval(times);
      settledAt[blocks] = performance.now() - startedAt;
    });
    clearInterval(watched);
    return {
      blocks,
      ...paceOf(settledAt, blocks),
      megabytes: Math.round((mostBytes - beforeBytes) / 2 ** 20),
      recordedAlone,
      recordedMeanwhile,
    };
  }

  async #find(blocks: number): Promise<void> {
    const { pool } = this.#ledger;
    const since = new Date(this.#slotMs - HOUR_MS);
    await this.#query('TRUNCATE block, block_weight, transfer, balance, pps_period');
    await this.#query('UPDATE settlement SET closed_until = $1', [since]);
    await this.#query(
      `UPDATE settlement SET round_since = $1::timestamptz - interval '1 day', round_until = $1, round_accounts = a.ids, round_work = a.work
       FROM (SELECT array_agg(id) AS ids, array_agg(${SHARES_A_MINUTE}::numeric + id) AS work FROM account WHERE id > 0) a`,
      [since],
    );
    for (let i = 0; i < blocks; i++) {
      const solution = makeSolution(
        { account: `k:${'a'.repeat(63)}7`, foundAtMs: this.#slotMs - (blocks - 1 - i) * SLOT_MS },
        { parent: i % 256, height: 1 + i, difficulty: BigInt(60 * SHARES_A_MINUTE) },
        BigInt(i),
      );
      await recordSolution(this.#ledger, solution, 'received', '');
    }
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM block ORDER BY id');
    for (const { id } of rows) await sawBlock(pool, id, 'confirmed', { reward: 2_304_523_000_000n });
  }

  async #settle(rules: RewardRules, signal?: AbortSignal): Promise<void> {
    const options = {
      pool: this.#ledger.pool,
      rules: async () => ({ ...rules, patienceMs: 1000 }),
      signRoot,
      log: SILENT,
    };
    await weighBlocks(options, signal);
    await settleBlocks(options, signal);
  }

  /** Entries of 100 shares a second, one after the other, while that is done. */
  async #record(act: (isOver: () => boolean) => Promise<void>): Promise<number> {
    let isOver = false;
    const log = randomUUID();
    const startedAt = performance.now();
    const done = act(() => isOver).finally(() => {
      isOver = true;
    });
    let number = 0;
    while (!isOver) {
      const own = ++number;
      const shares = Array.from({ length: 100 }, (_, i) =>
        makeShare({
          account: `k:${String(i % this.#accounts).padStart(64, 'a')}`,
          rig: `rig${i}`,
          acceptedAtMs: Date.now(),
        }),
      );
      await this.#ledger.recordEntry(entryOf({ id: { log, number: own }, shares }));
    }
    await done;
    return (1000 * number) / (performance.now() - startedAt);
  }

  /** With patience. */
  async #query(text: string, values: unknown[] = []): Promise<void> {
    const query: pg.QueryConfig & { query_timeout: number } = { text, values, query_timeout: 600_000 };
    await this.#ledger.pool.query(query);
  }
}

async function later(ms: number, isOver: () => boolean): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until && !isOver()) await new Promise((done) => setTimeout(done, 50));
}

/** Seconds for each block, of the first and of the last tenth. @param weighedAt how many -> milliseconds. */
function paceOf(weighedAt: readonly number[], blocks: number): { firstSeconds: number; lastSeconds: number } {
  const seen = weighedAt.flatMap((ms, count) => [{ count, ms }]).filter(({ ms }) => ms !== undefined);
  const tenth = blocks / 10;
  const pace = (from: number, to: number): number => {
    const some = seen.filter(({ count }) => count >= from && count <= to);
    const [a, b] = [some[0], some.at(-1)];
    return a && b && b.count > a.count ? (b.ms - a.ms) / (b.count - a.count) / 1000 : Number.NaN;
  };
  return { firstSeconds: pace(0, tenth), lastSeconds: pace(blocks - tenth, blocks - 1) };
}

function report({ accounts, rigs, single, backlog }: SplitBench): void {
  const { stdout } = process;
  stdout.write(`\n${accounts} accounts of ${rigs} rigs\n\n`);
  stdout.write(
    '| weighed, split and posted | seconds | of PostgreSQL | of Node.js | bar |\n| --- | --- | --- | --- | --- |\n',
  );
  for (const { what, seconds, postgres, node } of single) {
    const bar = what.includes('20 blocks') ? 20 * MOST_SECONDS : MOST_SECONDS;
    const missed = seconds > bar ? `${bar}: **missed**` : bar;
    stdout.write(
      `| ${what} | ${seconds.toFixed(2)} | ${postgres?.toFixed(2) ?? ''} | ${node.toFixed(2)} | ${missed} |\n`,
    );
  }
  const { blocks, firstSeconds, lastSeconds, megabytes, recordedAlone, recordedMeanwhile } = backlog;
  stdout.write(
    `\n${blocks} blocks after an outage: ${firstSeconds.toFixed(2)} s a block at first, ${lastSeconds.toFixed(2)} at last; ` +
      `${megabytes} MB more memory; entries of 100 shares recorded a second ${recordedAlone.toFixed(0)} alone, ` +
      `${recordedMeanwhile.toFixed(0)} meanwhile (${(recordedMeanwhile / recordedAlone).toFixed(2)})\n`,
  );
}
