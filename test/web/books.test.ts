/** What HTTP shows of the books: real shares and blocks in a real PostgreSQL, asked for over a real socket. */

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { request } from 'undici';
import { beforeEach, describe, expect, it } from 'vitest';
import { DELAY_SIZES } from '../../src/bridge/watch/job-delays.js';
import { SPANS } from '../../src/bridge/watch/spans.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { SILENT } from '../../src/core/names/log.js';
import { addDelays } from '../../src/ledger/history/freshness.js';
import { preparePayout } from '../../src/ledger/payments/prepare.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { openBooksWatch } from '../../src/ledger/watch/watch.js';
import type { Document } from '../../src/web/api/document/document.js';
import { createMetrics } from '../../src/web/metrics/metrics.js';
import { startWebServer } from '../../src/web/server.js';
import { useBooks } from '../helpers/books/books.js';
import { keepUp } from '../helpers/books/keep-up.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { newestBlock, sawBlock, settleAll } from '../helpers/books/settlement.js';
import { freePorts } from '../helpers/processes/ports.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';
import { makeWork } from '../helpers/rigs/works.js';
import { startTestBridge } from '../helpers/stories/stratum-bridge.js';
import { DOCUMENT_FILE } from '../helpers/tools/api-document.js';
import { DocumentCheck } from '../helpers/web/document-check.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { bearer, READ, RULES } from '../helpers/web/operators.js';
import { rigAs } from '../helpers/web/steered-web.js';

const COMMITTED = JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')) as Document;
const PROP = { ...REWARD_RULES, scheme: 'prop' as const, fees: { basisPoints: 1000, overrides: new Map() } };
const DAY_SECONDS = 86_400;
/** As with `web.public`. */
const PUBLIC = { ...RULES, isPublic: true };
const books = useBooks();
let blocks = 0;

beforeEach(async () => {
  await books.empty();
  await books.pool.query('TRUNCATE rig CASCADE');
});

/** A bridge that shows these books, or that finds nobody where they are. */
async function startBridge({ away = false, works = true, asAnonymous = false } = {}) {
  const { events, sources } = idleBridge();
  const url = new URL(books.connectionString);
  if (away) url.port = String((await freePorts(1))[0]);
  const watch = openBooksWatch({
    connectionString: url.href,
    ready: Promise.resolve(),
    patienceMs: 60_000,
  });
  const rigs = await startTestBridge();
  const jobs = new JobBook(1);
  if (works) for (const chainId of [1, 2]) jobs.add(makeWork({ chainId, difficulty: 1n << 30n }), 'n');
  const shown = {
    ...sources,
    books: watch,
    rigs: rigs.server.watch,
    liveJobs: () => jobs.liveJobs,
  };
  const metrics = createMetrics(events, shown);
  const web = await startWebServer({
    host: '127.0.0.1',
    port: 0,
    sources: shown,
    metrics,
    log: SILENT,
    access: () => PUBLIC,
  });
  const check = new DocumentCheck(COMMITTED);
  /** @param path as the document has it; what stands in its braces comes from `parts`. */
  const ask = async (path: string, query = '', parts: readonly string[] = []) => {
    const whole = parts.reduce((text, part) => text.replace(/\{\w+\}/, encodeURIComponent(part)), path);
    const {
      statusCode: status,
      headers,
      body,
    } = await request(
      `${web.url}/api/v1/${whole}${query && `?${query}`}`,
      asAnonymous ? {} : { headers: bearer(READ) },
    );
    const answer = (await body.json()) as Answer;
    check.answer('GET', `/api/v1/${path}`, status, answer);
    const again = headers['retry-after'];
    return { status, body: answer, ...(again === undefined ? {} : { again }) };
  };
  return {
    ask,
    events,
    rigs,
    async [Symbol.asyncDispose]() {
      await web.close();
      await watch.close();
      await rigs[Symbol.asyncDispose]();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: its schema is checked against the document.
type Answer = Record<string, any>;

async function mine(account: string, rigs: number, acceptedAtMs = Date.now() - 300_000): Promise<void> {
  const shares = Array.from({ length: rigs }, (_, i) =>
    makeShare({ account, rig: `r${i}`, acceptedAtMs, difficulty: 1n << 20n }),
  );
  const rejections = [
    { account, rig: 'r0', reason: 'stale' as const, sinceMs: acceptedAtMs, submits: 2, work: 1n },
  ];
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections }));
}

async function findBlock(account: string, state: 'pending' | 'confirmed' = 'confirmed'): Promise<void> {
  const solution = makeSolution(
    { account, foundAtMs: Date.now() - 290_000 },
    { height: ++blocks, difficulty: 1n << 22n },
  );
  await recordSolution(books.ledger, solution, 'received', '');
  const block = await newestBlock(books.pool);
  await sawBlock(books.pool, block, state, { reward: 10n ** 13n });
  await settleAll(books.pool, PROP, { ofPeriods: false });
}

describe('accounts over HTTP', () => {
  it('show money, rigs, payments, and what may be expected a day with how that is worked out', async () => {
    await mine('k:a', 2, Date.now() - 10 * 60_000);
    await findBlock('k:a');
    await preparePayout(books.pool, { minimum: 1n });
    await mine('k:a', 2);
    await using bridge = await startBridge();
    const { status, body } = await bridge.ask('accounts/{account}', '', ['k:a']);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      account: 'k:a',
      due: '0.000000000000',
      paying: '9.000000000000',
      rigCount: 2,
      payments: [{ payout: expect.any(String), amount: '9.000000000000', state: 'prepared' }],
      expected: '0.000000000000',
      estimate: {
        reason: null,
        reward: '10.000000000000',
        rewardBlocks: 1,
        fee: 0.1,
        blockDifficulty: 2 ** 30,
      },
    });
    const { hashRate, estimate } = body;
    expect(hashRate.hashesPerSecond * hashRate.minutes * 60).toBeCloseTo(4 * 2 ** 20, -5);
    expect(estimate.blocksPerDay / ((hashRate.hashesPerSecond * DAY_SECONDS) / 2 ** 30)).toBeCloseTo(1, 3);
    expect(Number(estimate.perDay)).toBeCloseTo(estimate.blocksPerDay * 10 * 0.9, 6);
  });

  it.each([
    [
      'no share of this account was booked in the last hour',
      { shareAtMs: -3 * 3_600_000, block: true, works: true },
    ],
    [
      'no block of this pool has a reward in the books yet',
      { shareAtMs: -60_000, block: false, works: true },
    ],
    [
      'no node gives work now, so the difficulty of a block is not known',
      { shareAtMs: -60_000, block: true, works: false },
    ],
  ])('expect nothing where that cannot be known: %s', async (reason, { shareAtMs, block, works }) => {
    await mine('k:a', 1, Date.now() + shareAtMs);
    if (block) await findBlock('k:a');
    await using bridge = await startBridge({ works });
    const { body } = await bridge.ask('accounts/{account}', '', ['k:a']);
    expect(body['estimate']).toMatchObject({ perDay: null, reason });
  });

  it('are told where there is none, and of names of every kind', async () => {
    const name = 'ä'.repeat(64);
    await mine(name, 1);
    await mine('a/b?c', 1);
    await using bridge = await startBridge();
    expect(await bridge.ask('accounts/{account}', '', ['k:nobody'])).toEqual({
      status: 404,
      body: { error: 'no account "k:nobody" is in the books' },
    });
    for (const known of [name, 'a/b?c'])
      expect((await bridge.ask('accounts/{account}', '', [known])).status).toBe(200);
    expect(await bridge.ask('accounts/{account}', '', ['a\0b'])).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/account is the name of an account: .*, not "/) },
    });
  });

  it('of this bridge are listed with their money, or without while the ledger is away', async () => {
    await mine('k:a', 1);
    await findBlock('k:a');
    for (const away of [false, true]) {
      await using bridge = await startBridge({ away });
      const session = { id: 1, transport: 'cpu', peer: 'thread 1' } as const;
      for (const account of ['k:a', 'k:new'])
        bridge.rigs.events.emit('submit', {
          ...{ session, account, rig: 'cpu', jobId: '1', detail: '' },
          ...{ outcome: 'accepted', difficulty: account === 'k:a' ? 2_000_000n : 1_000_000n },
        });
      const { status, body } = await bridge.ask('accounts', 'limit=5');
      expect(status).toBe(200);
      const money = (due: string) =>
        away ? null : expect.objectContaining({ due, expected: '0.000000000000' });
      expect(body).toMatchObject({
        ...{ total: 2, offset: 0, limit: 5 },
        accounts: [
          { account: 'k:a', money: money('9.000000000000') },
          { account: 'k:new', money: money('0.000000000000') },
        ],
      });
    }
  });

  it('that do not mine here follow in pages, to whom most is due first', async () => {
    for (const [account, rigs] of [
      ['k:less', 1],
      ['k:more', 3],
      ['k:here', 1],
    ] as const)
      await mine(account, rigs);
    await findBlock('k:here');
    // After that block: nothing is due for it.
    await mine('k:nothing', 1);
    for (const away of [false, true]) {
      await using bridge = await startBridge({ away });
      const session = { id: 1, transport: 'cpu', peer: 'thread 1' } as const;
      bridge.rigs.events.emit('submit', {
        ...{ session, account: 'k:here', rig: 'cpu', jobId: '1', detail: '' },
        ...{ outcome: 'accepted', difficulty: 1_000_000n },
      });
      // It has come, and had no share yet.
      await rigAs(bridge.rigs, 'tcp', 'k:more.r');
      const accountsAt = async (query: string) => {
        bridge.rigs.skewMs += 1000;
        const { status, body } = await bridge.ask('accounts', query);
        expect(status).toBe(200);
        const { total, isComplete, accounts } = body;
        return [total, isComplete, accounts.map((each: Answer) => each['account'])];
      };
      const all = away ? ['k:here'] : ['k:here', 'k:more', 'k:less'];
      expect(await accountsAt('')).toEqual([all.length, !away, all]);
      expect(await accountsAt('limit=1')).toEqual([all.length, !away, all.slice(0, 1)]);
      expect(await accountsAt('limit=1&offset=1')).toEqual([all.length, !away, all.slice(1, 2)]);
      expect(await accountsAt('limit=5&offset=2')).toEqual([all.length, !away, all.slice(2)]);
      expect(await accountsAt('offset=9')).toEqual([all.length, !away, []]);
      if (away) continue;
      const { body } = await bridge.ask('accounts', 'offset=1&limit=2');
      expect(body['accounts']).toMatchObject([
        { sessions: 1, hashRates: [], lastShareAt: null, money: { due: '5.400000000000' } },
        { sessions: 0, hashRates: [], lastShareAt: null, money: { due: '1.800000000000' } },
      ]);
    }
  });
});

describe('money over HTTP', () => {
  it('is what all accounts together can be paid, are being paid and were paid', async () => {
    await using bridge = await startBridge();
    expect(await bridge.ask('money')).toMatchObject({ status: 200, body: { due: '0.000000000000' } });
    for (const account of ['k:b', 'k:a']) await mine(account, 1);
    await findBlock('k:a');
    await expect
      .poll(async () => (await bridge.ask('money')).body, { timeout: 60_000 })
      .toMatchObject({ due: '9.000000000000', paying: '0.000000000000' });
    await preparePayout(books.pool, { minimum: 1n });
    await expect
      .poll(async () => (await bridge.ask('money')).body, { timeout: 60_000 })
      .toMatchObject({ due: '0.000000000000', paying: '9.000000000000' });
  });
});

describe('blocks over HTTP', () => {
  it('come in pages, with luck where it says something, and the work since the last one', async () => {
    await using bridge = await startBridge();
    for (let i = 0; i < 12; i++) {
      await mine('k:a', 4);
      await findBlock('k:a');
      if (i === 8) {
        await keepUp(books.pool);
        expect((await bridge.ask('blocks')).body['luck']).toBeNull();
      }
    }
    await mine('k:a', 2);
    await keepUp(books.pool);
    await using other = await startBridge();
    const { body } = await other.ask('blocks', 'limit=5');
    expect(body['luck']).toEqual({ luck: 1, standardError: 0.288675, blocks: 12 });
    expect(body['sinceLast']).toMatchObject({
      work: String(2 ** 21),
      effort: expect.closeTo(2 ** 21 / 2 ** 30, 8),
      blockDifficulty: 2 ** 30,
    });
    expect(body['blocks']).toHaveLength(5);
    expect(body['blocks'][0]).toMatchObject({
      state: 'confirmed',
      effort: 1,
      finder: { account: 'k:a', rig: 'r1' },
    });
    const heights: number[] = [];
    for (let next: string | null = null; heights.length < 13; ) {
      const page: Answer = (await other.ask('blocks', `limit=5${next ? `&before=${next}` : ''}`)).body;
      heights.push(...page['blocks'].map(({ height }: { height: number }) => height));
      next = page['next'];
      if (next === null) break;
    }
    expect(heights).toEqual(Array.from({ length: 12 }, (_, i) => blocks - i));
    expect((await other.ask('blocks', 'state=orphaned&chain=3')).body['blocks']).toEqual([]);
  });

  it.each([
    [
      'blocks',
      'state=lost',
      'state is one of pending, confirmed, orphaned, unclaimed, disowned, found, refused, not "lost"',
    ],
    ['blocks', 'chain=x', 'chain is a whole number from 0 to 65536, not "x"'],
    ['blocks', 'before=x', 'before is the `next` of a page before, not "x"'],
    ['blocks', 'limit=0', 'limit is a whole number from 1 to 1000, not "0"'],
    ['payouts', 'limit=101', 'limit is a whole number from 1 to 100, not "101"'],
    [
      'history',
      'metric=luck',
      'metric is one of hashRate, shares, rigs, blocks, effort, freshness, unpaid, not "luck"',
    ],
    ['history', 'range=2h', 'range is one of 1h, 24h, 7d, 30d, 1y, not "2h"'],
    ['history', 'of=me', 'of is pool, account:NAME or rig:ACCOUNT.RIG, not "me"'],
    ['history', 'of=account:a.b', 'of is pool, account:NAME or rig:ACCOUNT.RIG, not "account:a.b"'],
    ['history', 'metric=effort&of=account:a', 'effort is known of the pool alone: leave of out'],
    ['history', 'metric=unpaid&of=account:a', 'unpaid is known of the pool alone: leave of out'],
    ['history', 'metric=freshness&of=rig:a.b', 'freshness is known of the pool alone: leave of out'],
    ['history', 'hours=3', 'there is no parameter "hours", only metric, of and range'],
  ])('%s?%s is refused with a sentence', async (path, query, error) => {
    await using bridge = await startBridge();
    expect(await bridge.ask(path, query)).toEqual({ status: 400, body: { error } });
  });
});

describe('the split of a block over HTTP', () => {
  it('names who gets what, the most first, and adds up to the reward', async () => {
    await mine('k:a', 1);
    await mine('k:b', 3);
    await findBlock('k:a', 'pending');
    await using bridge = await startBridge();
    const listed = await bridge.ask('blocks');
    const id = String(listed.body['blocks'][0].id);
    const whole = await bridge.ask('blocks/{id}/split', '', [id]);
    expect(whole.body).toEqual({
      ...{ id, state: 'pending', scheme: 'prop', fee: 0.1, reward: '10.000000000000' },
      ...{ total: 3, offset: 0, limit: 100 },
      lines: [
        { account: 'k:b', amount: '6.750000000000' },
        { account: 'k:a', amount: '2.250000000000' },
        { account: null, amount: '1.000000000000' },
      ],
    });
    const part = await bridge.ask('blocks/{id}/split', 'offset=1&limit=1', [id]);
    expect(part.body).toMatchObject({ total: 3, lines: [{ account: 'k:a' }] });
  });

  it('is told where there is none, and not to anonymous users', async () => {
    await using bridge = await startBridge();
    expect(await bridge.ask('blocks/{id}/split', '', ['77'])).toEqual({
      status: 404,
      body: { error: 'there is no block 77' },
    });
    expect(await bridge.ask('blocks/{id}/split', '', ['seven'])).toEqual({
      status: 400,
      body: { error: 'id is the number of a block, not "seven"' },
    });
    await using anonymous = await startBridge({ asAnonymous: true });
    expect((await anonymous.ask('blocks/{id}/split', '', ['77'])).status).toBe(401);
  });

  it('has no lines before the block was seen on its chain', async () => {
    await mine('k:a', 1);
    const solution = makeSolution({ account: 'k:a' }, { height: ++blocks, difficulty: 1n << 22n });
    await recordSolution(books.ledger, solution, 'received', '');
    await using bridge = await startBridge();
    const listed = await bridge.ask('blocks');
    const id = String(listed.body['blocks'][0].id);
    expect((await bridge.ask('blocks/{id}/split', '', [id])).body).toEqual({
      ...{ id, state: 'pending', scheme: null, fee: null, reward: null },
      ...{ total: 0, offset: 0, limit: 100, lines: [] },
    });
  });
});

describe('payouts over HTTP', () => {
  it('are listed, and shown with whom they pay', async () => {
    for (const account of ['k:b', 'k:a']) await mine(account, 1);
    await findBlock('k:a');
    const batch = await preparePayout(books.pool, { minimum: 1n });
    await using bridge = await startBridge();
    const { body } = await bridge.ask('payouts');
    expect(body).toMatchObject({
      payouts: [{ id: batch?.id, state: 'prepared', total: '9.000000000000', accounts: 2 }],
      next: null,
    });
    const one = await bridge.ask('payouts/{id}', 'limit=1&offset=1', [batch?.id ?? '']);
    expect(one.body).toMatchObject({
      offset: 1,
      limit: 1,
      lines: [{ account: 'k:b', amount: '4.500000000000' }],
    });
    expect(await bridge.ask('payouts/{id}', '', ['77'])).toEqual({
      status: 404,
      body: { error: 'there is no payout 77' },
    });
    expect(await bridge.ask('payouts/{id}', '', ['seven'])).toEqual({
      status: 400,
      body: { error: 'id is the number of a payout, or its name such as 3f9ea-7, not "seven"' },
    });
  });
});

describe('history over HTTP', () => {
  const RANGES = {
    '1h': [60_000, 60],
    '24h': [600_000, 144],
    '7d': [3_600_000, 168],
    '30d': [10_800_000, 240],
    '1y': [86_400_000, 365],
  } as const;

  it('has every metric of everybody over every range', async () => {
    await mine('farm', 6, Date.now() - 5 * 60_000);
    await mine('home', 1, Date.now() - 5 * 60_000);
    await findBlock('farm');
    await keepUp(books.pool);
    await using bridge = await startBridge();
    for (const [range, [stepMs, steps]] of Object.entries(RANGES))
      for (const metric of ['hashRate', 'shares', 'rigs', 'blocks', 'effort', 'freshness', 'unpaid'])
        for (const of of ['pool', 'account:farm', 'account:home', 'rig:farm.r3']) {
          if (of !== 'pool' && ['effort', 'freshness', 'unpaid'].includes(metric)) continue;
          const { status, body } = await bridge.ask(
            'history',
            new URLSearchParams({ metric, of, range }).toString(),
          );
          const step = ['rigs', 'unpaid'].includes(metric) ? Math.max(stepMs, 600_000) : stepMs;
          expect(status, `${metric} of ${of}`).toBe(200);
          expect(body).toMatchObject({
            metric,
            of,
            range,
            stepMs: step,
          });
          expect(body['values']).toHaveLength((steps * stepMs) / step);
          for (const column of Object.values(body['others']))
            expect(column).toHaveLength(body['values'].length);
          expect(Math.abs(Date.parse(body['from']) % step)).toBe(0);
          const known = body['values'].filter((value: number | null) => value !== null);
          // No job came to anybody here.
          expect(known.length > 0, `${metric} of ${of} over ${range}`).toBe(metric !== 'freshness');
        }
    expect(Object.keys((await bridge.ask('history', 'metric=shares')).body['others'])).toContain('stale');
    expect((await bridge.ask('history')).body).toMatchObject({
      metric: 'hashRate',
      of: 'pool',
      range: '24h',
    });
  });

  it('is of all bridges on a ledger, whichever is asked', async () => {
    await mine('farm', 6, Date.now() - 5 * 60_000);
    await using one = await startBridge();
    await using other = await startBridge();
    await keepUp(books.pool);
    const [first, second] = await Promise.all(
      [one, other].map((bridge) => bridge.ask('history', 'metric=shares&range=7d')),
    );
    expect(first?.body['values'].at(-1) ?? first?.body['values'].at(-2)).toBe(6);
    expect(second?.body['values']).toEqual(first?.body['values']);
  });

  it('tells of whom nothing is known', async () => {
    await mine('home', 1);
    await using bridge = await startBridge();
    for (const [of, error] of [
      ['account:nobody', 'there is no account "nobody" in the books'],
      ['rig:home.nothing', 'there is no rig "home.nothing" in the books'],
      ['rig:home', 'there is no rig "home" in the books'],
    ])
      expect(await bridge.ask('history', `of=${of}`)).toEqual({ status: 404, body: { error } });
  });

  it('shows how fresh jobs were, of all bridges on the ledger', async () => {
    await using one = await startBridge();
    await using other = await startBridge();
    const counts = (size: number, count: number) =>
      Array.from({ length: DELAY_SIZES }, (_, i) => (i === size ? count : 0));
    const nowMs = Date.now();
    await addDelays(books.pool, [{ atMs: nowMs, counts: counts(40, 60) }], nowMs);
    await addDelays(books.pool, [{ atMs: nowMs, counts: counts(48, 40) }], nowMs);
    for (const bridge of [one, other])
      for (const range of Object.keys(SPANS)) {
        const { body } = await bridge.ask('history', `metric=freshness&range=${range}`);
        // 0.1 ms doubled ten and twelve times; a minute may have ended meanwhile.
        const [value] = body['values'].filter((value: number | null) => value !== null);
        expect(value).toBe(112);
        expect(Math.max(...body['others']['p99'])).toBe(447);
      }
  });
});

describe('anonymous users, with web.public', () => {
  it('see what a miner may see of a pool: blocks without finder and node, history, and an account by its name', async () => {
    await mine('k:a', 2, Date.now() - 10 * 60_000);
    await findBlock('k:a');
    await using bridge = await startBridge({ asAnonymous: true });
    const { body } = await bridge.ask('blocks');
    expect(body['blocks']).toMatchObject([{ state: 'confirmed', finder: null, node: null, detail: null }]);
    expect(JSON.stringify(body)).not.toMatch(/k:a|http:/);
    expect((await bridge.ask('history', 'range=1h&of=account:k:a')).status).toBe(200);
    const account = await bridge.ask('accounts/{account}', '', ['k:a']);
    expect(account.body).toMatchObject({ due: '9.000000000000', rigCount: 2 });
    for (const path of ['accounts', 'payouts']) expect((await bridge.ask(path)).status).toBe(401);
    expect((await bridge.ask('history', 'metric=unpaid')).status).toBe(403);
    await using operators = await startBridge();
    const own = await operators.ask('blocks');
    expect(own.body['blocks']).toMatchObject([{ finder: { account: 'k:a' }, node: 'http://node' }]);
  });
});

describe('while the ledger is away', () => {
  it.each([
    ['accounts/{account}', ['a']],
    ['money', []],
    ['blocks', []],
    ['payouts', []],
    ['payouts/{id}', ['1']],
    ['blocks/{id}/split', ['1']],
    ['history', []],
  ])('%s says so', async (path, parts) => {
    await using bridge = await startBridge({ away: true });
    expect(await bridge.ask(path, '', parts)).toEqual({
      status: 503,
      body: { error: 'the ledger does not answer now: ask again in a moment' },
      again: '1',
    });
  });
});

it('has an answer of the document to every question, however odd', async () => {
  await mine('farm', 6);
  await findBlock('farm');
  await using bridge = await startBridge();
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      'pool',
      'account:farm',
      'rig:farm.r1',
      'rig:',
      'account:',
      '1y',
      'rigs',
      '0',
      '-1',
      '999999999999999999',
      "' OR 1=1",
    ),
  );
  const name = fc.constantFrom('metric', 'of', 'range', 'state', 'chain', 'before', 'limit', 'offset', 'x');
  const path = fc.constantFrom(
    'blocks',
    'payouts',
    'history',
    'accounts',
    'accounts/{account}',
    'payouts/{id}',
    'blocks/{id}/split',
  );
  const queries = fc.array(fc.tuple(name, value), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
      queries,
      async (asked, part, query) => {
        const words = query.map(([key, given]) => `${key}=${encodeURIComponent(given)}`).join('&');
        const { status } = await bridge.ask(asked, words, [part]);
        expect([200, 400, 404]).toContain(status);
      },
    ),
    { numRuns: 300 },
  );
});
