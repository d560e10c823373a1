/** Books and chain compared: tests 25 and 26 of `payouts.md`. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readCommand } from '../../../src/assembly/books/command-reader.js';
import type { ReconciledOutcome } from '../../../src/bridge/payouts/reconciled.js';
import { SILENT } from '../../../src/core/names/log.js';
import { dumpBooks } from '../../../src/ledger/copies/dump.js';
import { restoreBooks } from '../../../src/ledger/copies/restore.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { orderReconcile, rejectBatch, resumePayer } from '../../../src/ledger/transactions/orders.js';
import { ledgerOrders } from '../../../src/ledger/watch/orders.js';
import { openFileSigner } from '../../../src/payouts/signer/file-signer.js';
import { newKeyFile } from '../../../src/payouts/signer/key-file.js';
import { newSignerLog, signerLogOf } from '../../../src/payouts/signer/signer-log.js';
import { useBooks } from '../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../helpers/books/money.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import {
  accountOf,
  coins,
  earn,
  expectPaidOnChain,
  PayerStory,
  type StoryOptions,
  TestSigner,
} from '../../helpers/payouts/story.js';
import { NETWORK, PAYER, payment, World } from '../../helpers/payouts/world.js';
import { keyPair } from '../../helpers/processes/key-pair.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(async () => {
  await books.empty();
  world = await World.start();
  await world.mine(5);
});
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

async function payAll(blocks = 8): Promise<void> {
  await payer.round();
  await payer.prepare();
  await payer.round();
  await payer.blocks(blocks);
}

async function linesOf(pool: Ledger['pool']): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of dumpBooks(pool)) lines.push(line);
  return lines;
}

/** Books of before, in a database of their own. */
async function restored(lines: readonly string[]): Promise<{ ledger: Ledger; pool: Ledger['pool'] }> {
  const postgres = await startTestPostgres();
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  onTestFinished(async () => {
    await ledger.close();
    await postgres.close();
  });
  async function* each() {
    yield* lines;
  }
  await restoreBooks(ledger.pool, each(), 'none');
  return { ledger, pool: ledger.pool };
}

const order = (pool: Ledger['pool'], applies: boolean, sinceHeight?: number) =>
  orderReconcile(pool, sinceHeight, applies, 'test');
const outcome = async (pool: Ledger['pool']) =>
  (await pool.query<{ reconciled: Record<string, unknown> }>('SELECT reconciled FROM payer')).rows[0]
    ?.reconciled;

describe("26: yesterday's backup", () => {
  it('knows after a comparison what was paid since, and pays nobody twice', async () => {
    const signer = new TestSigner();
    payer = await PayerStory.start(world, books, {}, signer);
    await earn(books, { 1: '5' });
    await payAll();
    await earn(books, { 2: '4', 3: '3' });
    await payer.prepare();
    // One line waits in the backup, and is paid after it; others come and are paid after it.
    const backup = await linesOf(books.pool);
    await payer.round();
    await payer.blocks(8);
    await earn(books, { 1: '2' });
    await payAll();
    await payer.close();
    const { pool } = await restored(backup);
    const old = { ...books, pool };
    payer = await PayerStory.start(world, old, {}, signer);
    await payer.round();
    await payer.blocks(3);
    expect(await payer.pause()).toBe('restored');
    expect(signer.signed).toHaveLength(4);
    await order(pool, false);
    await payer.round();
    // The clock of the books may be behind that of the chain.
    const sinceMs = (await payer.seat.state()).pause?.sinceMs ?? expect.fail();
    const untilS = Math.ceil(sinceMs / 1000) + 900 + 60;
    expect(await outcome(pool)).toMatchObject({ waits: [0, 1, 2].map((chainId) => ({ chainId, untilS })) });
    expect(await outcome(pool)).toMatchObject({
      ...{ applied: false, missingCount: 3, missingTotal: '9.000000000000', foreign: [], isDone: false },
    });
    expect(await coinsIn(pool, 'paid')).toEqual({ [accountOf(1)]: '5' });
    await order(pool, true);
    await payer.round();
    expect(await coinsIn(pool, 'paid')).toEqual({
      [accountOf(1)]: '7',
      [accountOf(2)]: '4',
      [accountOf(3)]: '3',
    });
    expect(await coinsIn(pool, 'balance')).toMatchObject({ [accountOf(1)]: '-2' });
    await expectProved(pool);
    await expectPaidOnChain(world, old, [1, 2, 3]);
    // Nothing that was signed before can come any more once its time is over on every chain.
    expect(await outcome(pool)).toMatchObject({ missingCount: 3, isDone: false });
    await order(pool, true);
    await payer.round();
    expect(await outcome(pool)).toMatchObject({ missingCount: 0, isDone: false });
    const resume = () =>
      ledgerOrders(pool, readCommand).resumePayer({ note: 'compared', anyway: false }, 'test');
    expect(await resume()).toMatchObject({
      why: expect.stringContaining('ledger payout reconcile'),
    });
    // The database goes by its own clock, and not by that of this world.
    await pool.query('UPDATE payer SET paused_at = to_timestamp($1)', [world.clock.nowS]);
    await world.mine(12, { everyS: 120, chains: [0, 1, 2] });
    await order(pool, true);
    await payer.round();
    expect(await outcome(pool)).toMatchObject({ missingCount: 0, isDone: true });
    // What was none of these books when it was found is told no more once it is.
    expect((await payer.seat.state()).pause?.says).not.toContain('left the paying account');
    expect(await resume()).toMatchObject({ payer: { paused: null } });
    await payer.round(2);
    await payer.blocks(8);
    await expectPaidOnChain(world, old, [1, 2, 3]);
    expect(signer.signed).toHaveLength(4);
    await expectProved(pool);
  });

  it.each([
    ['before the first round', 0],
    ['after it', 1],
  ])(
    'has an attempt on its way that died since, and another was paid: compared %s, it is paid once',
    async (_, rounds) => {
      const signer = new TestSigner();
      payer = await PayerStory.start(world, books, {}, signer);
      await earn(books, { 1: '5' });
      await payer.round();
      await payer.prepare();
      world.a.liar.lie({ send: 'dropped' });
      await payer.round();
      expect(await payer.states()).toEqual(['sent']);
      const backup = await linesOf(books.pool);
      await payer.blocks(12, 120);
      world.a.liar.beHonest();
      await payer.blocks(12);
      expect(await payer.states()).toEqual(['expired', 'final']);
      await payer.close();
      const { pool } = await restored(backup);
      const old = { ...books, pool };
      payer = await PayerStory.start(world, old, {}, signer);
      await payer.round(rounds);
      await order(pool, true);
      await payer.round(2);
      await order(pool, true);
      await payer.round(2);
      expect(await coinsIn(pool, 'paid')).toEqual({ [accountOf(1)]: '5' });
      expect(await coinsIn(pool, 'balance')).not.toHaveProperty(accountOf(1));
      await resumePayer(pool, 'compared', 'test');
      await payer.round(2);
      await payer.blocks(8);
      await expectPaidOnChain(world, old, [1]);
      expect(await coinsIn(pool, 'paid')).toEqual({ [accountOf(1)]: '5' });
      expect(signer.signed).toHaveLength(2);
      await expectProved(pool);
    },
  );

  it('finds a second attempt of a payment that it never knew, under another number: the books still prove all of it', async () => {
    payer = await PayerStory.start(world, books);
    await earn(books, { 1: '5' });
    await payAll();
    const backup = await linesOf(books.pool);
    await earn(books, { 2: '4' });
    await rejectBatch(books.pool, await payer.prepare(), 'for its number', 'anna');
    world.a.liar.lie({ send: 'dropped' });
    await payAll();
    await payer.blocks(10, 120);
    world.a.liar.beHonest();
    await payer.blocks(12);
    expect(await payer.states()).toEqual(['final', 'failed', 'expired', 'final']);
    await payer.close();
    const { pool } = await restored(backup);
    payer = await PayerStory.start(world, { ...books, pool });
    await order(pool, true);
    await payer.round();
    expect(await coinsIn(pool, 'paid')).toEqual({ [accountOf(1)]: '5', [accountOf(2)]: '4' });
    const broken = (await verifyBooks(pool, readCommand)).filter((proof) => proof.broken.length > 0);
    expect(broken).toEqual([]);
  });
});

describe('26: the log of the signer', () => {
  /** The key file and its log, in place of the story's signer. */
  async function withKeyFile(
    options: StoryOptions = {},
  ): Promise<{ readonly story: StoryOptions; close(): Promise<void> }> {
    const signer = await openFileSigner({
      ...{
        keyFile,
        account: PAYER.account,
        networkId: NETWORK,
        gas: coins('1'),
        nowMs: () => world.clock.nowS * 1000,
      },
    });
    const around = <T extends object>(part: T, name: string): T =>
      name === 'signer' ? (signer as never) : part;
    return { story: { ...options, around }, close: () => signer.close() };
  }
  let keyFile: string;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  afterEach(() => folder[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = await temporaryFolder();
    keyFile = join(folder.path, 'payouts.key');
    await newKeyFile(keyFile, undefined, () => Buffer.from(PAYER.secret));
    await newSignerLog(signerLogOf(keyFile), PAYER.key, 0);
  });

  it('names what was signed and neither books nor chain know, and it is waited for', async () => {
    const { story, close } = await withKeyFile();
    payer = await PayerStory.start(world, books, story);
    await earn(books, { 1: '5' });
    await payAll();
    const backup = await linesOf(books.pool);
    await earn(books, { 2: '4' });
    await payAll();
    await earn(books, { 3: '3' });
    world.a.liar.lie({ send: 'dropped' });
    await payAll(0);
    const [lost = expect.fail()] = (await payer.seat.live()).filter(
      ({ account }) => account === accountOf(3),
    );
    await payer.close();
    const { pool } = await restored(backup);
    payer = await PayerStory.start(world, { ...books, pool }, story);
    await order(pool, true);
    await payer.round();
    const { requestKey, paymentId: payment } = lost;
    const untilS = expect.any(Number);
    expect(await outcome(pool)).toMatchObject({
      ...{ missingCount: 1, signedCount: 1, unread: [], isDone: false },
      signed: [{ requestKey, payment, attempt: 1, chainId: 0, amount: '3.000000000000', untilS }],
    });
    // By the chain's time it is over, as no block has it.
    await payer.blocks(40);
    await order(pool, true);
    await payer.round(2);
    expect(await outcome(pool)).toMatchObject({ missingCount: 0, signedCount: 0, signed: [], deadCount: 1 });
    await close();
  });

  /** One line that was signed once after the backup, was never sent, and can come no more. Resolves with the books of before. */
  async function lostAttempt(story: StoryOptions): Promise<{ pool: Ledger['pool']; requestKey: string }> {
    // So long that not all of it is read at first.
    await world.mine(80);
    payer = await PayerStory.start(world, books, story);
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    const backup = await linesOf(books.pool);
    world.a.liar.lie({ send: 'dropped' });
    await payer.round();
    const [{ requestKey } = expect.fail()] = await payer.seat.live();
    await payer.close();
    world.a.liar.beHonest();
    await world.mine(40);
    const { pool } = await restored(backup);
    return { pool, requestKey };
  }
  const attempts = async (pool: Ledger['pool']) =>
    (await pool.query('SELECT attempt, state FROM transaction ORDER BY attempt')).rows;

  it.each([
    ['by `ledger restore`', false],
    ['by means of the database, so that they have the id of before', true],
  ])('marks dead what was signed and can come no more, where books were restored %s', async (_, isCopy) => {
    const { story, close } = await withKeyFile();
    const { pool, requestKey } = await lostAttempt(story);
    if (isCopy) {
      await pool.query('UPDATE ledger SET id = (SELECT id FROM former_ledger)');
      await pool.query('UPDATE payer SET paused_at = NULL');
    }
    payer = await PayerStory.start(world, { ...books, pool }, story);
    await payer.round(2);
    if (isCopy) {
      expect((await payer.seat.state()).pause).toMatchObject({
        kind: 'signer-refused',
        says: expect.stringContaining('has another command that is not dead'),
      });
    }
    await order(pool, false);
    await payer.round();
    // It could be in blocks that were not read.
    expect(await outcome(pool)).toBeNull();
    await payer.round(2);
    const before = { deadCount: 1, signedCount: 0, unprovenCount: 0, dead: [{ requestKey, attempt: 1 }] };
    expect(await outcome(pool)).toMatchObject({ ...before, isDone: false });
    await order(pool, true);
    await payer.round(3);
    expect(await outcome(pool)).toMatchObject({ ...before, isDone: isCopy });
    expect(await readFile(signerLogOf(keyFile), 'utf8')).toMatch(
      new RegExp(`"dead":"${requestKey}","evidence":"in no block of chain 0 from \\d+ `),
    );
    await resumePayer(pool, 'compared', 'test');
    await payer.round(2);
    // What was refused has the number of what was signed before: it comes to nothing, and is asked for no more.
    if (isCopy) await payer.blocks(40);
    await payer.blocks(8);
    expect(await payer.pause()).toBeUndefined();
    expect((await attempts(pool)).at(-1)).toEqual({ attempt: 2, state: 'final' });
    expect(await coinsIn(pool, 'paid')).toEqual({ [accountOf(1)]: '5' });
    await expectPaidOnChain(world, { ...books, pool }, [1]);
    await expectProved(pool);
    await order(pool, true);
    await payer.round();
    expect(await outcome(pool)).toMatchObject({ deadCount: 0, signedCount: 0, unprovenCount: 0 });
    await close();
  });

  it('marks nothing dead while blocks that could have it are read no more', async () => {
    const { story, close } = await withKeyFile({ eyes: { mostBlocks: 50 } });
    const { pool } = await lostAttempt(story);
    payer = await PayerStory.start(world, { ...books, pool }, story);
    await order(pool, true);
    await payer.round(2);
    expect(await outcome(pool)).toMatchObject({ deadCount: 0, signedCount: 0, unprovenCount: 1 });
    expect(await readFile(signerLogOf(keyFile), 'utf8')).not.toContain('"dead"');
    await close();
  });
});

it('a debit that is none of these books is listed once, and not its gas beside it', async () => {
  payer = await PayerStory.start(world, books);
  await payer.round();
  const mine = { to: keyPair(66), amount: '7.0', creationTimeS: world.clock.nowS - 30, nonce: 'mine' };
  await payer.eyes.send(0, payment(mine));
  // Gas alone: it fails.
  await payer.eyes.send(0, payment({ ...mine, amount: '5000.0', nonce: 'too much' }));
  await payer.blocks(5);
  await order(books.pool, false, 0);
  await payer.round();
  const { foreign } = (await outcome(books.pool)) as unknown as ReconciledOutcome;
  const listed = foreign.map(({ amount }) => Number(amount)).sort((a, b) => b - a);
  expect(listed).toEqual([7, expect.closeTo(0, 3)]);
  expect(foreign.find(({ amount }) => Number(amount) === 7)?.account).toBe(keyPair(66).account);
});

describe('a chain of which the books have read nothing', () => {
  const chain0 = async (pool: Ledger['pool']) => {
    const { chains, unread, isDone } = (await outcome(pool)) as unknown as ReconciledOutcome;
    return {
      isDone,
      from: chains.find(({ chainId }) => chainId === 0)?.from,
      unread: unread.filter(({ chainId }) => chainId === 0),
    };
  };

  it('is compared from the birth of its first transaction on', async () => {
    payer = await PayerStory.start(world, books);
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    await payer.round();
    const [{ birth } = expect.fail()] = await payer.seat.live();
    await payer.blocks(8);
    await books.pool.query('DELETE FROM payer_chain');
    await order(books.pool, false);
    await payer.round();
    expect(await chain0(books.pool)).toEqual({ isDone: true, from: birth.height, unread: [] });
  });

  it('and that is longer than what is kept: what was not read is named, and nothing is done', async () => {
    payer = await PayerStory.start(world, books, { eyes: { mostBlocks: 4 } });
    await world.mine(10);
    await order(books.pool, false);
    await payer.round();
    const { isDone, from = 0, unread } = await chain0(books.pool);
    expect(from).toBeGreaterThan(5);
    expect(unread).toEqual([{ chainId: 0, from: 0, to: from - 1, why: 'they are more than are kept' }]);
    expect(isDone).toBe(false);
  });

  it('stays to be compared from there where books were restored and somebody looks later', async () => {
    payer = await PayerStory.start(world, books);
    await payer.seat.pause({ kind: 'restored', says: 'from yesterday', evidence: {} });
    await payer.round();
    await world.mine(3);
    await order(books.pool, false);
    await payer.round();
    expect((await chain0(books.pool)).from).toBe(0);
  });
});
