import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { JobBook } from '../../src/core/job.js';
import { SILENT } from '../../src/core/log.js';
import { hashSubmit, type Solution } from '../../src/core/share.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { sumShares } from '../../src/ledger/share-sums.js';
import { useBooks } from '../helpers/books.js';
import { makeShare } from '../helpers/shares.js';
import { makeWork } from '../helpers/works.js';

const books = useBooks();

async function rows<T extends object>(sql: string): Promise<T[]> {
  const client = new pg.Client({
    connectionString: books.connectionString,
    options: '-c search_path=stratum_bridge',
  });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

function solve(): Solution {
  const job = new JobBook(1).add(makeWork({ difficulty: 1n }), 'http://node');
  const { header, powHash } = hashSubmit(job, (1n << 64n) - 1n);
  const nonce = (1n << 64n) - 1n;
  return { job, header, nonce, powHash, account: 'k:a', rig: 'r1', foundAtMs: 1_700_000_000_000 };
}

describe('ledger', () => {
  it('credits an entry once, however often and by however many it is recorded', async () => {
    const entry = {
      id: { producer: randomUUID(), number: 1 },
      shares: [
        makeShare({ account: 'once', difficulty: 1n << 200n }),
        makeShare({ account: 'once', difficulty: 3n, acceptedAtMs: 1_700_000_009_999 }),
        makeShare({ account: 'once', difficulty: 4n, acceptedAtMs: 1_700_000_010_000 }),
      ],
      rejections: [],
    };
    const other = await openLedger({ connectionString: books.connectionString, log: SILENT });
    const before = await books.ledger.totals();
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, i) => (i % 2 ? other : books.ledger).recordEntry(entry)),
    );
    await other.close();
    expect(outcomes.filter((outcome) => outcome === 'recorded')).toHaveLength(1);
    const after = await books.ledger.totals();
    expect(after.shares - before.shares).toBe(3);
    expect(BigInt(after.work) - BigInt(before.work)).toBe((1n << 200n) + 7n);
    const buckets = await rows<{ shares: string; work: string }>(
      "SELECT shares, work FROM bucket JOIN rig ON rig_id = id WHERE account = 'once' ORDER BY starts_at",
    );
    expect(buckets).toEqual([
      { shares: '2', work: ((1n << 200n) + 3n).toString() },
      { shares: '1', work: '4' },
    ]);
  });

  it('takes entries that touch the same rigs in any order at the same time', async () => {
    const producer = randomUUID();
    const rigs = ['c', 'a', 'b', 'e', 'd'];
    const before = await books.ledger.totals();
    await Promise.all(
      Array.from({ length: 60 }, (_, number) => {
        const turned = [...rigs.slice(number % 5), ...rigs.slice(0, number % 5)];
        const shares = turned.map((rig) => makeShare({ account: 'ring', rig, difficulty: 5n }));
        return books.ledger.recordEntry({ id: { producer, number: number + 1 }, shares, rejections: [] });
      }),
    );
    const after = await books.ledger.totals();
    expect([after.shares - before.shares, BigInt(after.work) - BigInt(before.work)]).toEqual([300, 1500n]);
  });

  it('keeps the last word on a solution', async () => {
    const solution = solve();
    await books.ledger.recordSolution(solution, 'received', '');
    await books.ledger.recordSolution(solution, 'found', '');
    expect(await rows('SELECT state, nonce, chain_id, height, account FROM solution')).toEqual([
      { state: 'received', nonce: '18446744073709551615', chain_id: 3, height: '7', account: 'k:a' },
    ]);
  });

  it('opens many times at once, and refuses tables of a later version', async () => {
    const { connectionString } = books;
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => openLedger({ connectionString, log: SILENT })),
    );
    await Promise.all(opened.map((one) => one.close()));
    await rows("INSERT INTO migration (version, name) VALUES (1000, 'of the future')");
    await expect(openLedger({ connectionString, log: SILENT })).rejects.toMatchObject({
      code: 'newer-schema',
    });
    await rows('DELETE FROM migration WHERE version = 1000');
  });
});

describe('sums of shares', () => {
  it('do not depend on the order, and hold every share', () => {
    const share = fc.record({
      account: fc.constantFrom('a', 'b'),
      rig: fc.constantFrom('', 'x'),
      difficulty: fc.bigInt(1n, 1n << 90n),
      acceptedAtMs: fc.integer({ min: 0, max: 60_000 }),
    });
    fc.assert(
      fc.property(fc.array(share), (fields) => {
        const shares = fields.map((field) => makeShare(field));
        const sums = sumShares(shares);
        expect(sumShares(shares.toReversed())).toEqual(sums);
        expect(sums.reduce((sum, { shares }) => sum + shares, 0)).toBe(shares.length);
        expect(sums.reduce((sum, { work }) => sum + work, 0n)).toBe(
          shares.reduce((sum, { difficulty }) => sum + difficulty, 0n),
        );
      }),
    );
  });
});
