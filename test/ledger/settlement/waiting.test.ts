/** For whom settlement waits: for logs with a lease, and for those without one as long as patience counts. */

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ShareEntry, SolutionWord } from '../../../src/bridge/ports.js';
import { SILENT } from '../../../src/core/names/log.js';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import { rulesFor } from '../../../src/ledger/rules/bridge-rules.js';
import { settlementChores } from '../../../src/ledger/settlement/settlement.js';
import { takeTurn } from '../../../src/ledger/settlement/weighing.js';
import { useBooks } from '../../helpers/books/books.js';
import { keepUp } from '../../helpers/books/keep-up.js';
import { coinsIn, expectProved } from '../../helpers/books/money.js';
import { signRoot } from '../../helpers/books/root-key.js';
import { newestBlock, sawBlock } from '../../helpers/books/settlement.js';
import { PROP } from '../../helpers/books/settlement-story.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';

const books = useBooks();
const COIN = 10n ** 12n;
const NO_FEES = {
  ...PROP,
  fees: { basisPoints: 0, overrides: new Map<string, number>() },
  patienceMs: 60_000,
};
/** Long ago, so that all slots are over; each block a minute after the one before. */
const AT_MS = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;

let options: Parameters<typeof settlementChores>[0];
beforeEach(async () => {
  await books.empty();
  options = { pool: books.pool, rules: async () => NO_FEES, signRoot, log: SILENT };
});

const renew = (...logs: readonly string[]) => books.ledger.renewLogs(logs, 'here');
async function settle(): Promise<void> {
  for (const chore of settlementChores(options)) await chore.run(new AbortController().signal);
}
const coins = () => coinsIn(books.pool, 'due');

/** An entry of this log, with a share of this account, if any. Those of a log are to be made in their order. */
function entry(
  log: string,
  number: number,
  account: string | undefined,
  more: Partial<ShareEntry> = {},
): ShareEntry {
  const acceptedAtMs = AT_MS + 1_000 * number;
  const shares = account === undefined ? [] : [makeShare({ account, difficulty: 100n, acceptedAtMs })];
  return {
    ...entryOf({ id: { log, number }, shares }),
    ...{ ends: false, watermarkMs: AT_MS + 60_000 },
    ...more,
  };
}

let nonce = 0n;
function wordOf(log: string, account: string): SolutionWord {
  const { job, header, powHash, rig } = makeSolution({}, { height: Number(++nonce) }, nonce);
  const foundAtMs = AT_MS + 8_000;
  const solution = { node: job.node, header, powHash, blockDifficulty: 1_000n, account, rig, foundAtMs };
  return { solution, log, state: 'received', detail: '' };
}

async function confirm(): Promise<void> {
  await sawBlock(books.pool, await newestBlock(books.pool), 'confirmed', { reward: COIN });
}

const sql = (text: string) => books.pool.query(text);
/** As if its bridge had not been heard of since. */
const lapsed = (log: string, ago: string) =>
  sql(`UPDATE log SET heard_at = now() - interval '${ago}' WHERE id = '${log}'`);
const lastTurn = (ago: string) => sql(`UPDATE settlement SET turn_at = now() - interval '${ago}'`);
/** So many turns of settlement, each after ten seconds. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await lastTurn('10 seconds');
    await takeTurn(options);
  }
}

describe('a block', () => {
  it('LQ1: is split by the shares of its own log, of which the books had never heard when it came', async () => {
    const [other, born, next] = [randomUUID(), randomUUID(), randomUUID()];
    await renew(other);
    await books.ledger.recordEntry(entry(other, 1, 'bob', { ends: true, watermarkMs: AT_MS - 60_000 }));
    // It was born while the ledger was away, and killed; the next start names it, and ships its own first.
    await renew(born, next);
    await books.ledger.recordEntry(entry(next, 1, undefined, { watermarkMs: Date.now() - 1_000 }));
    const [early, late] = [1, 2].map((number) =>
      entry(born, number, 'alice', number === 2 ? { solutions: [wordOf(born, 'alice')], ends: true } : {}),
    ) as [ShareEntry, ShareEntry];
    await books.ledger.recordEntry(late);
    await confirm();
    await settle();
    expect(await coins()).toEqual({});
    await books.ledger.recordEntry(early);
    await settle();
    expect(Object.keys(await coins())).toContain('alice');
    await expectProved(books.pool);
  });

  it('LQ17: is weighed, confirmed and split over one connection, also while nobody else gets one', async () => {
    const pool = new pg.Pool({
      ...{ connectionString: books.connectionString, options: `-c search_path=${SCHEMA}` },
      ...{ max: 1, connectionTimeoutMillis: 2_000 },
    });
    onTestFinished(() => pool.end());
    options = { ...options, pool, rules: rulesFor(pool, NO_FEES, 'test') };
    const log = randomUUID();
    await books.ledger.recordEntry(entry(log, 1, 'alice', { solutions: [wordOf(log, 'alice')], ends: true }));
    await confirm();
    await settle();
    expect(Object.keys(await coins())).toContain('alice');
  });

  it('of a log that nobody waits for any more waits for it all the same, and is then of the first open slot', async () => {
    const [gone, live] = [randomUUID(), randomUUID()];
    await renew(gone, live);
    const [early, late] = [1, 2].map((number) =>
      entry(gone, number, 'alice', number === 2 ? { solutions: [wordOf(gone, 'alice')], ends: true } : {}),
    ) as [ShareEntry, ShareEntry];
    await books.ledger.recordEntry(late);
    await confirm();
    await books.ledger.recordEntry(
      entry(live, 1, 'bob', { solutions: [wordOf(live, 'bob')], watermarkMs: Date.now() - 20_000 }),
    );
    await confirm();
    await lapsed(gone, '5 minutes');
    await turns(7);
    await settle();
    // What of it was booked before counts.
    expect(await coins()).toEqual({ alice: '0.5', bob: '0.5' });
    await books.ledger.recordEntry(early);
    await books.ledger.recordEntry(entry(live, 2, undefined, { watermarkMs: Date.now() }));
    // Until the slot in which her late share counts is over.
    await sql("UPDATE log SET watermark = now() + interval '1 hour' WHERE NOT ended");
    await settle();
    expect(await coins()).toEqual({ alice: '1.5', bob: '0.5' });
    await expectProved(books.pool);
  });
});

describe('a log without a lease', () => {
  it('LQ2: is waited for through any time in which nobody took a turn, and for patience of turns', async () => {
    const [away, live] = [randomUUID(), randomUUID()];
    await renew(away, live);
    await books.ledger.recordEntry(entry(away, 1, 'alice', { watermarkMs: AT_MS }));
    await books.ledger.recordEntry(
      entry(live, 1, 'bob', { solutions: [wordOf(live, 'bob')], watermarkMs: Date.now() - 20_000 }),
    );
    await confirm();
    // The books were away for two days, and with them whoever would have been heard.
    await lapsed(away, '2 days');
    await lastTurn('2 days');
    await takeTurn(options);
    await sql("UPDATE settlement SET calm_since = 'epoch'");
    await settle();
    expect(await coins()).toEqual({});
    await turns(2);
    await settle();
    expect(await coins()).toEqual({});
    await turns(2);
    await settle();
    // What she had is booked; what she may have had besides is not waited for.
    expect(await coins()).toEqual({ alice: '0.5', bob: '0.5' });
  });

  it('counts its turns anew once it is heard of', async () => {
    const away = randomUUID();
    await renew(away);
    await lapsed(away, '1 minute');
    await turns(3);
    const waited = async () =>
      (await sql('SELECT round(extract(epoch FROM waited))::int AS waited FROM log')).rows[0]?.waited;
    expect(await waited()).toBe(30);
    await renew(away);
    expect(await waited()).toBe(0);
  });

  it('LQ15: that was ended by hand and lives all the same is waited for again', async () => {
    const log = randomUUID();
    await renew(log);
    await sql("UPDATE log SET ended = true, ended_by = 'anna'");
    await renew(log);
    expect((await sql('SELECT ended, ended_by FROM log')).rows).toEqual([{ ended: false, ended_by: null }]);
  });
});

it('nothing is split in the first 30 s after the books were away, and all of it then', async () => {
  const live = randomUUID();
  await renew(live);
  await books.ledger.recordEntry(
    entry(live, 1, 'bob', { solutions: [wordOf(live, 'bob')], watermarkMs: Date.now() - 20_000 }),
  );
  await confirm();
  await lastTurn('16 seconds');
  await takeTurn(options);
  await settle();
  expect(await coins()).toEqual({});
  await sql("UPDATE settlement SET calm_since = now() - interval '31 seconds'");
  await turns(1);
  await settle();
  expect(await coins()).toEqual({ bob: '1' });
});

it('LQ7: a log whose clock is fast says nothing of times that have not come', async () => {
  const log = randomUUID();
  await renew(log);
  const state = async () =>
    (await sql('SELECT watermark > now() AS future, watermark, ahead > now() AS waits FROM log')).rows[0];
  await books.ledger.recordEntry(entry(log, 1, 'bob', { watermarkMs: AT_MS }));
  await books.ledger.recordEntry(entry(log, 2, 'bob', { watermarkMs: Date.now() + 60_000 }));
  expect(await state()).toEqual({ future: false, watermark: new Date(AT_MS), waits: true });
  await sql("UPDATE log SET ahead = now() - interval '1 second'");
  await books.ledger.recordEntry(entry(log, 3, 'bob', { watermarkMs: Date.now() + 61_000 }));
  const later = await state();
  expect(later).toMatchObject({ future: false, waits: true });
  expect(later?.watermark.getTime()).toBeGreaterThan(AT_MS);
});

it('LQ4: the last period before a long downtime is paid, although its sums are old enough to be summed up', async () => {
  const log = randomUUID();
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 60 * 3_600_000;
  const schedule = [{ fromHeight: 0, amount: COIN }];
  options = { ...options, rules: async () => ({ ...NO_FEES, scheme: 'pps', schedule }) };
  await sql(
    `INSERT INTO rules (version, valid_from, made_by, rules) VALUES (1, 'epoch', 'here', '{"rewards.scheme": "pps"}')`,
  );
  await sql(`UPDATE settlement SET periods_until = to_timestamp(${hour / 1000 + 600})`);
  const shares = [11, 13, 16].map((minute) =>
    makeShare({ account: 'alice', difficulty: 500n, acceptedAtMs: hour + 60_000 * minute }),
  );
  const booked = {
    ...entryOf({ id: { log: log, number: 1 }, shares }),
    watermarkMs: hour + 17 * 60_000,
  };
  await books.ledger.recordEntry(booked);
  await keepUp(books.pool);
  await settle();
  const worth = Number((await coins())['alice']);
  expect(worth).toBeGreaterThan(0);
  // All three of them, and each once.
  const expected = await sql(
    'SELECT sum(expected) / 1e18 AS blocks FROM account_work WHERE account_id = 0 AND kind = 0',
  );
  expect(worth).toBeCloseTo(Number(expected.rows[0]?.blocks), 9);
  await keepUp(books.pool);
  expect((await sql('SELECT max(seconds) AS seconds FROM account_work')).rows[0]?.seconds).toBe(600);
});
