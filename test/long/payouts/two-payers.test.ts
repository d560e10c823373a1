/** Test 24 of `payouts.md`: two payers on one set of books. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NewTransaction, SeatLostError } from '../../../src/bridge/payouts/payer-books.js';
import { seededRandom } from '../../../src/devnode/chance.js';
import { inTransaction } from '../../../src/ledger/database/transaction.js';
import { PAYER_LOCK } from '../../../src/ledger/transactions/seat-lock.js';
import { buildTransactions } from '../../../src/ledger/transactions/writes.js';
import { useBooks } from '../../helpers/books/books.js';
import { calling } from '../../helpers/payouts/killer.js';
import { PayoutModel } from '../../helpers/payouts/model.js';
import { accountOf, coins, PayerStory, type StoryOptions, TestSigner } from '../../helpers/payouts/story.js';
import { TERMS } from '../../helpers/payouts/terms.js';
import { Turnstile } from '../../helpers/payouts/turnstile.js';
import { World } from '../../helpers/payouts/world.js';

const books = useBooks({ onOwnServer: true });
const INTERLEAVINGS = 100;
/** Stories of a hundred interleavings each: 10,000 unless told otherwise. */
const STORIES = Number(process.env['BRIDGE_TEST_TWO_PAYERS'] ?? 100);
const SEED = Number(process.env['BRIDGE_TEST_SEED'] ?? Math.floor(Date.now() / 1000));
const SEEDS = Array.from({ length: STORIES }, (_, i) => SEED + i);
const TTL_S = 300;

let world: World;
let model: PayoutModel;
let signer: TestSigner;
const payers: PayerStory[] = [];

beforeEach(async () => {
  await books.empty();
  world = await World.start();
  await world.mine(3);
  signer = new TestSigner();
  const rules = { chainIds: [0], funds: coins('1000'), reserve: TERMS.reserve, day: undefined };
  model = new PayoutModel(world, books, rules);
});
afterEach(async () => {
  for (const payer of payers.splice(0)) await payer.close();
  await world[Symbol.asyncDispose]();
});

/** Whoever has the seat loses the lock, as when its machine stands still or its connection breaks. */
async function startAnother(options: StoryOptions = {}): Promise<PayerStory> {
  await books.pool.query(
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND granted",
    [PAYER_LOCK],
  );
  const terms = { ttlS: TTL_S };
  const common = { terms, chainIds: [0], nextAfter: (ms: number) => ms + 1 };
  const payer = await PayerStory.start(world, books, { ...common, ...options }, signer);
  payers.push(payer);
  return payer;
}

/** What it ended with; anything but a lost seat is a defect. */
async function endOf(round: Promise<void>): Promise<'done' | 'lost'> {
  try {
    await round;
    return 'done';
  } catch (error) {
    if (!(error instanceof SeatLostError)) throw error;
    return 'lost';
  }
}

async function blocks(payer: PayerStory, count: number, everyS: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await world.mine(1, { everyS });
    await payer.round();
  }
}

/** No line has two commands that were signed and could both be on chain. */
async function expectSignedOnce(): Promise<void> {
  const { rows } = await books.pool.query<{ alive: string }>(
    `SELECT count(*)::text AS alive FROM transaction WHERE request_key = ANY ($1::text[]) AND state NOT IN ('refused', 'expired', 'dropped')
     GROUP BY payment_id`,
    [signer.signed],
  );
  expect(rows.filter(({ alive }) => alive !== '1')).toEqual([]);
  const { rows: known } = await books.pool.query<{ key: string }>(
    'SELECT request_key AS key FROM transaction',
  );
  const keys = new Set(known.map(({ key }) => key));
  expect(signer.signed.filter((key) => !keys.has(key))).toEqual([]);
}

describe('24: two payers', () => {
  it.each(SEEDS)(
    `interleaved at each call, ${INTERLEAVINGS} times, pay each line once (seed %s)`,
    async (seed) => {
      const random = seededRandom(String(seed), 'two payers');
      const below = (end: number): number => Math.floor(random() * end);
      const turnstile = new Turnstile(random);
      const through = (who: string): StoryOptions => ({
        around: (part) =>
          calling(part, (name, call) => (name === 'close' ? call() : turnstile.through(who, call))),
      });
      const ends = { done: 0, lost: 0 };
      let former = await startAnother(through('0'));
      for (let i = 1; i <= INTERLEAVINGS; i++) {
        await model.credit(accountOf(1 + below(5)), coins('1') + BigInt(below(2_000_000)) * 1_000_000n);
        const turns = below(24);
        const succeed = async (): Promise<PayerStory> => {
          for (let turn = 0; turn < turns; turn++) await turnstile.through(String(i), async () => {});
          const next = await turnstile.through(String(i), () => startAnother(through(String(i))));
          await next.round();
          return next;
        };
        const [end, next] = await Promise.all([endOf(former.round()), succeed()]);
        ends[end]++;
        await payers.shift()?.close();
        former = next;
        await world.mine(1);
        await expectSignedOnce();
        if (i % 10 === 0) await model.check();
      }
      const last = await startAnother();
      await blocks(last, 12, 30);
      await model.checkQuiet();
      // Both have happened: a payer that lost its seat in the middle, and one that was through by then.
      expect(Math.min(ends.done, ends.lost)).toBeGreaterThan(0);
    },
  );

  it.each(['look', 'found', 'build', 'asking', 'sign', 'keepSignatures', 'sending', 'send'])(
    'one stopped before %s while another pays, and woken long after: nothing is paid twice',
    async (method) => {
      let wake = (): void => {};
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      let isAsleep = false;
      let armed = false;
      const around: StoryOptions['around'] = (part) =>
        calling(part, async (name, call) => {
          if (armed && name === method) {
            isAsleep = true;
            await woken;
          }
          return call();
        });
      const stopped = await startAnother({ around });
      await stopped.round();
      await model.credit(accountOf(1), coins('5'));
      // `found` has something to find only once it is in a block.
      if (method === 'found') await blocks(stopped, 2, 30);
      else await stopped.round();
      armed = true;
      if (method === 'found') await world.mine(1);
      const round = endOf(stopped.round());
      await expect.poll(() => isAsleep).toBe(true);
      const other = await startAnother();
      world.a.liar.lie({ send: 'dropped' });
      // Its time goes by, wherever it was.
      await other.round();
      await blocks(other, 6, 90);
      world.a.liar.beHonest();
      await blocks(other, 10, 30);
      const before = await other.states();
      wake();
      expect(await round).toBe('lost');
      expect(await other.states()).toEqual(before);
      await blocks(other, 3, 30);
      expect(before.at(-1)).toBe('final');
      await expectSignedOnce();
      await model.checkQuiet();
    },
  );

  it('who could write all the same could not have two transactions of a line that live', async () => {
    const payer = await startAnother();
    await payer.round();
    await model.credit(accountOf(1), coins('5'));
    await payer.round(2);
    const [first] = await payer.seat.live();
    if (!first) throw new Error('nothing was built');
    const { amount: _, ...same } = first;
    const second: NewTransaction = { ...same, attempt: 2, requestKey: 'another', cmd: '{}' };
    const { rows } = await books.pool.query("UPDATE payment SET state = 'prepared' RETURNING id");
    expect(rows).toHaveLength(1);
    const build = inTransaction(books.pool, (client) => buildTransactions(client, [second]));
    await expect(build).rejects.toThrow('transaction_alive');
    await books.pool.query("UPDATE payment SET state = 'sent'");
  });
});
