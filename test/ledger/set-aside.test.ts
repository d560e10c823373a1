/** What the database refuses for its data: set aside alone, while all else of its entry is booked. */

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ShareEntry } from '../../src/bridge/ports.js';
import { SILENT } from '../../src/core/names/log.js';
import type { Share } from '../../src/core/shares/share.js';
import { Ledger } from '../../src/ledger/ledger.js';
import { verifyBooks } from '../../src/ledger/proof/verify.js';
import { endLog, giveUpEntry } from '../../src/ledger/recording/logs.js';
import {
  countSetAside,
  dropSetAside,
  listSetAside,
  retrySetAside,
} from '../../src/ledger/recording/set-aside.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { useBooks } from '../helpers/books/books.js';
import { blocksIn, listIn } from '../helpers/books/lists.js';
import { dueOf } from '../helpers/books/money.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { newestBlock, sawBlock, settleAll } from '../helpers/books/settlement.js';
import { openGate } from '../helpers/processes/gate.js';
import { entryOf as entryWith, makeShare, type RejectionCount } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

const books = useBooks();
beforeEach(async () => {
  await books.empty();
  await books.pool.query('DELETE FROM rig');
});

function entryOf(shares: Share[], rejections: RejectionCount[] = []): ShareEntry {
  return entryWith({ id: { log: randomUUID(), number: 1 }, shares, rejections });
}

function rejectionOf(fields: Partial<RejectionCount>): RejectionCount {
  return {
    account: '',
    rig: '',
    reason: 'stale',
    sinceMs: 1_700_000_000_000,
    submits: 1,
    work: 5n,
    ...fields,
  };
}

async function broken(): Promise<unknown[]> {
  return (await verifyBooks(books.pool)).filter(({ broken }) => broken.length > 0);
}

describe('data that the database refuses', () => {
  it.each([
    ['B1', 'a NUL', { account: 'a\0b' }],
    ['A10', 'half of a surrogate pair', { rig: 'r\ud800' }],
    ['B1', 'a time that no calendar has', { acceptedAtMs: -1e19 }],
  ])('%s: is set aside alone, and all other shares are booked once (%s)', async (_id, _what, fields) => {
    const good = Array.from({ length: 219 }, (_, i) => makeShare({ rig: `r${i % 40}` }));
    const entry = entryOf(
      [...good.slice(0, 100), makeShare(fields), ...good.slice(100)],
      [rejectionOf({ account: 'k:a', rig: 'r1', submits: 3 })],
    );
    expect(await books.ledger.recordEntry(entry)).toBe('recorded');
    expect(await books.ledger.recordEntry(entry)).toBe('repeated');
    expect((await books.ledger.totals()).shares).toBe(219);
    expect((await listIn(books.pool, 'accounts'))[0]).toMatchObject({
      account: 'k:a',
      shares: 219,
      rejected: 3,
    });
    expect(await listSetAside(books.pool, 10)).toMatchObject([
      { ...nameOf(fields), shares: 1, work: '1000' },
    ]);
    expect(await broken()).toEqual([]);
  });

  it('B1: is one row for each name, whatever many rows it takes along', async () => {
    const bad = ['x\0', 'y\0'].flatMap((rig) => [1, 2, 3].map(() => makeShare({ rig })));
    const entry = entryOf([...bad, makeShare()], [rejectionOf({ rig: 'z\0', submits: 7 })]);
    await books.ledger.recordEntry(entry);
    expect(
      (await listSetAside(books.pool, 10)).map(({ rig, shares, rejections }) => [rig, shares, rejections]),
    ).toEqual([
      ['z\0', 0, 7],
      ['x\0', 3, 0],
      ['y\0', 3, 0],
    ]);
    expect(await countSetAside(books.pool)).toBe(3);
    expect((await books.ledger.totals()).shares).toBe(1);
  });

  it('B1: is credited once when the database takes it later, and forgotten only when told so', async () => {
    const { pool } = books;
    await pool.query("ALTER TABLE rig ADD CONSTRAINT no_x CHECK (name NOT LIKE 'x%')");
    await books.ledger.recordEntry(
      entryOf([makeShare({ rig: 'x1' }), makeShare({ rig: 'x2' }), makeShare()]),
    );
    const [first, second] = (await listSetAside(pool, 10)).map(({ id }) => id);
    await expect(retrySetAside(pool, first ?? '')).rejects.toThrow(/still refused: .*no_x/);
    await pool.query('ALTER TABLE rig DROP CONSTRAINT no_x');
    expect(await retrySetAside(pool, first ?? '')).toMatchObject({ rig: 'x1', shares: 1 });
    await expect(retrySetAside(pool, first ?? '')).rejects.toThrow(/nothing is set aside/);
    expect(await dropSetAside(pool, second ?? '', 'anna')).toMatchObject({ rig: 'x2' });
    expect(await countSetAside(pool)).toBe(0);
    expect((await books.ledger.totals()).shares).toBe(2);
    expect(await broken()).toEqual([]);
  });

  it('B1: is told from a database that does not answer, which changes nothing', async () => {
    const gate = await openGate(Number(new URL(books.connectionString).port));
    const url = new URL(books.connectionString);
    url.port = String(gate.port);
    const pool = new pg.Pool({ connectionString: url.href, options: '-c search_path=stratum_bridge' });
    pool.on('error', () => undefined);
    const ledger = new Ledger(pool, SILENT);
    const entry = entryOf([makeShare()]);
    await gate.shut();
    await expect(ledger.recordEntry(entry)).rejects.toMatchObject({ code: 'away' });
    await gate.open();
    await pool.query('SET ROLE NONE');
    await books.pool.query('ALTER FUNCTION record_entries RENAME TO record_entries_of_later');
    await expect(ledger.recordEntry(entry)).rejects.toMatchObject({ code: 'away' });
    await books.pool.query('ALTER FUNCTION record_entries_of_later RENAME TO record_entries');
    expect(await ledger.recordEntry(entry)).toBe('recorded');
    expect(await countSetAside(books.pool)).toBe(0);
    await ledger.close();
    await gate.shut();
  });
});

describe('verify: what bridges have acknowledged', () => {
  const log = randomUUID();
  const entry = (number: number, more: Partial<ShareEntry> = {}): ShareEntry => {
    const made = entryWith({ id: { log, number }, shares: [makeShare({ difficulty: 100n })] });
    return { ...made, ends: false, ...more };
  };
  const saidOf = async (name: string): Promise<readonly string[]> => {
    const proof = (await verifyBooks(books.pool)).find((one) => one.name === name) ?? expect.fail(name);
    return [...proof.broken, ...proof.noted];
  };

  it('names entries that did not come although later ones did, until they come or somebody gives them up', async () => {
    for (const number of [1, 4, 6]) entry(number);
    await books.ledger.renewLogs([log], 'host:/data');
    await books.ledger.recordEntries([entry(2), entry(3), entry(5), entry(7)]);
    // What is on its way is no fault, however slow this machine is.
    await books.pool.query("UPDATE log SET watermark = now(), heard_at = now() + interval '1 hour'");
    expect(await broken()).toEqual([]);
    await books.pool.query("UPDATE log SET heard_at = now() - interval '2 minutes'");
    expect(await saidOf('acknowledged')).toEqual([
      `the bridge at host:/data (log ${log}) has acknowledged 3 shares of work 300 more than are booked: ` +
        'later entries came, and entries 1, 4, 6 did not; `ledger entry list` shows those that cannot be read',
    ]);
    await books.ledger.recordEntries([entry(1), entry(6)]);
    await giveUpEntry(books.pool, { log, number: 4 }, { by: 'anna', shares: 1, work: '100' });
    expect(await broken()).toEqual([]);
    expect(await saidOf('without')).toEqual([
      expect.stringMatching(
        /^anna gave up 1 shares of work 100 of the bridge at host:\/data .*: its entries 4, as far as/,
      ),
    ]);
    // It may come once more, from the share log or a queue that was away.
    await giveUpEntry(books.pool, { log, number: 4 }, { by: 'bob', shares: 1, work: '100' });
    expect(await books.ledger.recordEntry(entry(4))).toBe('repeated');
    expect(await saidOf('without')).toHaveLength(1);
  });

  it('finds what a bridge had acknowledged and did not bring, and what it brought beyond', async () => {
    const id = { log: randomUUID(), number: 1 };
    const { total, ...rest } = entryWith({ id, shares: [makeShare(), makeShare()] });
    await books.ledger.recordEntry({ ...rest, total: { shares: 5, work: total.work + 700n } });
    expect(await saidOf('acknowledged')).toEqual([
      expect.stringMatching(/has acknowledged 3 shares of work 700 more than are booked$/),
    ]);
    await books.pool.query('UPDATE log SET shares = 6, work = work + 1000');
    expect(await saidOf('acknowledged')).toEqual([
      expect.stringMatching(/has acknowledged 1 shares of work 300 less than are booked$/),
    ]);
  });

  it('tells what is set aside, and who gave it up', async () => {
    await books.ledger.recordEntry(entryOf([makeShare({ rig: 'x\0' }), makeShare()]));
    expect(await saidOf('without')).toEqual([
      expect.stringMatching(/^1 shares of work 1000 of the bridge at .* are set aside: `ledger entry list`$/),
    ]);
    const [part] = await listSetAside(books.pool, 1);
    await dropSetAside(books.pool, part?.id ?? '', 'anna');
    expect(await broken()).toEqual([]);
    expect(await saidOf('without')).toEqual([
      expect.stringMatching(/^anna gave up 1 shares of work 1000 of .*: a part of its entry 1$/),
    ]);
  });

  it('finds minutes that hold less or more than the rounds', async () => {
    await books.ledger.recordEntry(entryOf([makeShare(), makeShare({ rig: 'r2' })]));
    expect(await broken()).toEqual([]);
    await books.pool.query('UPDATE account_work SET work = work - 1 WHERE account_id = 0 AND kind = 0');
    expect(await saidOf('rounds')).toEqual([
      expect.stringMatching(/^since 2023-11-14 .* hold work 1999, rounds from 2000 to 2000$/),
    ]);
    await books.pool.query('UPDATE account_work SET work = work + 2 WHERE account_id = 0 AND kind = 0');
    expect(await saidOf('rounds')).toHaveLength(1);
  });
});

const ORDER = { by: 'anna', note: 'its disk burnt' };

describe('a bridge that does not come back', () => {
  it('is named where blocks wait for it, until somebody ends it; what it brings after all is booked', async () => {
    const { pool, ledger } = books;
    const log = randomUUID();
    const [nowMs, foundAtMs] = [Date.now(), Date.now() - 60_000];
    await ledger.renewLogs([log], 'host:/data');
    const entry = (number: number, atMs: number): ShareEntry => ({
      ...entryWith({ id: { log, number }, shares: [makeShare({ acceptedAtMs: atMs })] }),
      ...{ watermarkMs: atMs, ends: false },
    });
    await ledger.recordEntry(entry(1, foundAtMs - 30_000));
    await recordSolution(ledger, makeSolution({ foundAtMs }), 'received', '');
    const block = await newestBlock(pool);
    await sawBlock(pool, block, 'confirmed', { reward: 1_000n });
    await settleAll(pool, REWARD_RULES);
    expect(await dueOf(pool, 'k:a')).toBe(0n);
    expect(await listIn(pool, 'logs')).toMatchObject([
      { id: log, place: 'host:/data', shares: 1, blocks: 1, missing: '' },
    ]);
    const [found] = await blocksIn(pool, 1);
    expect(found?.detail).toMatch(/^it waits for the shares of the bridge at host:\/data .*`ledger log end`/);

    await pool.query("UPDATE log SET heard_at = now() + interval '1 hour'");
    await expect(endLog(pool, log, ORDER)).rejects.toThrow(/host:\/data was heard \d+ s ago: stop it/);
    await expect(endLog(pool, randomUUID(), ORDER)).rejects.toThrow(/nobody waits for a log/);
    await pool.query("UPDATE log SET heard_at = now() - interval '2 minutes'");
    expect(await endLog(pool, log, ORDER)).toMatchObject({ id: log, blocks: 1 });
    expect(await listIn(pool, 'logs')).toEqual([]);
    await settleAll(pool, REWARD_RULES);
    expect(await dueOf(pool, 'k:a')).toBe(990n);
    expect((await blocksIn(pool, 1))[0]?.detail).toBe('');
    const noted = async () => (await verifyBooks(pool)).find(({ name }) => name === 'without')?.noted;
    expect(await noted()).toEqual([
      expect.stringMatching(/^anna ended the bridge at host:\/data .* \(its disk burnt\): .* if it comes$/),
    ]);

    await ledger.recordEntry(entry(3, nowMs));
    expect((await ledger.totals()).shares).toBe(2);
    expect(await broken()).toEqual([]);
    expect(await noted()).toEqual([expect.stringMatching(/if it comes; missing are entries 2, of 0 shares/)]);
    const { rows } = await pool.query("SELECT says, ordered_by FROM event WHERE kind = 'ordered'");
    expect(rows).toEqual([
      { says: `the log ${log} of host:/data is waited for no longer: its disk burnt`, ordered_by: 'anna' },
    ]);
  });
});

describe('names in the books', () => {
  it('A7: come with the first credited share; what is refused before that counts for nobody', async () => {
    await books.ledger.recordEntry(entryOf([], [rejectionOf({ account: 'made', rig: 'up', submits: 4 })]));
    const both = [
      rejectionOf({ account: 'k:a', rig: 'r1', submits: 2 }),
      rejectionOf({ account: 'made', rig: 'up2' }),
    ];
    await books.ledger.recordEntry(entryOf([makeShare()], both));
    const { rows } = await books.pool.query(
      `SELECT coalesce(a.name, '') AS account, coalesce(r.name, '') AS name, sum(submits)::int AS submits
       FROM rig_work LEFT JOIN rig r ON r.id = rig_id LEFT JOIN account a ON a.id = account_id WHERE kind > 0 GROUP BY 1, 2 ORDER BY 1`,
    );
    expect(rows).toEqual([
      { account: '', name: '', submits: 5 },
      { account: 'k:a', name: 'r1', submits: 2 },
    ]);
  });

  it('B8: keep no block out of the books, whatever the finder was called and the node has said', async () => {
    const solution = makeSolution({ account: 'a\u0000b', rig: 'r\ud800' });
    await recordSolution(books.ledger, solution, 'received', 'taken\0');
    const { rows } = await books.pool.query(
      'SELECT account, rig, detail, said FROM block WHERE state IS NOT NULL',
    );
    expect(rows).toEqual([{ account: 'a\ufffdb', rig: 'r\ufffd', detail: 'taken\ufffd', said: 'received' }]);
  });
});

function nameOf({ account = 'k:a', rig = 'r1' }: Partial<Share>): { account: string; rig: string } {
  return { account, rig };
}
