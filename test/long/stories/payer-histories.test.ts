/**
 * 29: a payer, real nodes and a real ledger in random histories: answers that are lost or wrong, nodes that forget, drop and hold, reorganisations
 * above the depth, time that leaps, kills of connections to the database, restarts and restored dumps. Nobody is ever paid more than was owed,
 * and at the end everybody exactly that.
 */
import { expect, it } from 'vitest';
import { formatAmount } from '../../../src/core/money/amount.js';
import { askForPayout } from '../../../src/ledger/payer/orders.js';
import { coinsIn, expectProved, giveMoney } from '../../helpers/books/money.js';
import { Random } from '../../helpers/fuzz/random.js';
import { movedOn } from '../../helpers/payouts/oracle.js';
import { accountOf, PAST_TIME_S, PayerStory } from '../../helpers/payouts/payer-story.js';
import { coins, DEPTH, PAYER } from '../../helpers/payouts/payer-terms.js';
import { until } from '../../helpers/until.js';

const SEED = Number(process.env['BRIDGE_TEST_SEED'] ?? 24);
const HISTORIES = Number(process.env['BRIDGE_TEST_PAYER_HISTORIES'] ?? 3);
const STEPS = 40;

type Payer = ReturnType<PayerStory['pay']>;

class History {
  readonly #story: PayerStory;
  readonly #random: Random;
  /** Account -> what it was ever given. */
  readonly #given = new Map<string, bigint>();
  readonly counts: Record<string, number> = {};
  #payer: Payer;
  /** What was given since has to be given anew where it is restored. */
  #dump: { readonly lines: readonly string[]; readonly given: ReadonlyMap<string, bigint> } | undefined;

  constructor(story: PayerStory, seed: number) {
    this.#story = story;
    this.#random = new Random(seed);
    this.#payer = story.pay();
  }

  async run(): Promise<void> {
    for (let i = 0; i < STEPS; i++) {
      const [name, act] = this.#random.pick(this.#steps());
      await act();
      this.counts[name] = (this.counts[name] ?? 0) + 1;
      await this.#expectNobodyOverpaid();
    }
    await this.#settle();
  }

  #steps(): readonly (readonly [string, () => Promise<void>])[] {
    const { first } = this.#story;
    return [
      ['owe', () => this.#owe()],
      ['owe', () => this.#owe()],
      ['mine', () => this.#story.mine(1 + this.#random.below(3))],
      ['mine', () => this.#story.mine(1 + this.#random.below(3))],
      ['turn', () => this.#payer.turn()],
      ['turn', () => this.#payer.turn()],
      ['pass', () => this.#story.pass(this.#random.below(600))],
      ['wait', () => this.#wait()],
      ['wait', () => this.#wait()],
      ['answers', async () => this.#answers()],
      [
        'mempool',
        () =>
          this.#story.faults({
            dropTransactions: this.#random.chance(0.3),
            holdTransactions: this.#random.chance(0.3),
          }),
      ],
      ['forget', () => this.#story.control(first.node, 'DELETE', 'mempool')],
      ['fork', () => this.#fork()],
      ['kill', () => this.#kill()],
      ['restart', () => this.#restart()],
      ['dump', () => this.#writeDump()],
      ['restore', () => this.#restore()],
      ['lose', () => this.#lose()],
      ['late', () => this.#late()],
    ];
  }

  async #owe(): Promise<void> {
    const account = accountOf(this.#random.below(6));
    const amount = coins(`${1 + this.#random.below(20)}.${this.#random.below(1_000)}`);
    this.#given.set(account, (this.#given.get(account) ?? 0n) + amount);
    await giveMoney(this.#story.pool, account, amount);
    await askForPayout(this.#story.pool);
  }

  /** Long enough for who has taken the role, and for all that is under way to be over. */
  async #wait(): Promise<void> {
    await this.#payer.turn();
    await this.#story.pass(PAST_TIME_S);
    await this.#story.bury();
    await this.#payer.turn();
  }

  #answers(): void {
    const status = this.#random.pick(['200 OK', '400 Bad Request', '500 Oops', 'lost']);
    this.#story.first.tap.set({
      onAnswer: (text, path) => {
        if (!path.endsWith('/send')) return text;
        return status === 'lost' ? undefined : text.replace(/^HTTP\/1\.1 200 OK/, `HTTP/1.1 ${status}`);
      },
    });
  }

  async #fork(): Promise<void> {
    const heights = Object.values(this.#story.first.node.cut().heights);
    const blocks = 1 + this.#random.below(DEPTH);
    await this.#story.followed();
    await this.#story.rewind(Math.min(...heights) - blocks);
    await this.#story.mine(blocks + 1);
  }

  async #kill(): Promise<void> {
    await this.#story.pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  }

  async #restart(): Promise<void> {
    await this.#payer[Symbol.asyncDispose]();
    this.#payer = this.#story.pay({ isNewLedger: false });
  }

  async #writeDump(): Promise<void> {
    this.#dump = { lines: await this.#story.dump(), given: new Map(this.#given) };
  }

  async #restore(): Promise<void> {
    if (!this.#dump) return;
    const { lines, given } = this.#dump;
    await this.#story.restore(lines);
    for (const [account, amount] of this.#given) {
      const missing = amount - (given.get(account) ?? 0n);
      if (missing > 0n) await giveMoney(this.#story.pool, account, missing);
    }
    await this.#story.pass(31);
    this.#payer = this.#story.pay({ isNewLedger: false });
    this.#dump = undefined;
  }

  /** What was sent, and is in a block that does not count yet. */
  async #lose(): Promise<void> {
    await this.#wait();
    await this.#writeDump();
    await this.#owe();
    await this.#payer.turn();
    await this.#story.mine(1);
    await this.#restore();
    await askForPayout(this.#story.pool);
    await this.#payer.turn();
  }

  /** What was sent gets into a block when most of its time is over, or all. */
  async #late(): Promise<void> {
    await this.#wait();
    await this.#story.faults({ dropTransactions: false, holdTransactions: true });
    await this.#owe();
    await this.#payer.turn();
    await this.#story.pass(300 + this.#random.below(700));
    await this.#story.bury();
    await this.#payer.turn();
    await this.#payer.turn();
    await this.#story.faults({ holdTransactions: false });
    await this.#story.mine(1);
  }

  async #onChain(): Promise<Map<string, bigint>> {
    const got = new Map<string, bigint>();
    for (const { from, to, amount } of await movedOn(this.#story.first.node))
      if (from === PAYER.account && this.#given.has(to)) got.set(to, (got.get(to) ?? 0n) + amount);
    return got;
  }

  async #expectNobodyOverpaid(): Promise<void> {
    for (const [account, amount] of await this.#onChain())
      if (amount > (this.#given.get(account) ?? 0n))
        expect.fail(
          `${account} got ${formatAmount(amount)}, and was owed ${formatAmount(this.#given.get(account) ?? 0n)}`,
        );
  }

  /** All is well again, and blocks are made until nothing is due. */
  async #settle(): Promise<void> {
    const story = this.#story;
    story.first.tap.set({ onAnswer: (text) => text });
    await story.faults({ dropTransactions: false, holdTransactions: false });
    await this.#restart();
    // Who is named by a ledger that was restored is silent.
    await story.pass(31);
    await until('the role is taken', async () => (await story.shown()).isPaying);
    await story.waitIsOver();
    expect(await story.pauses()).toEqual([]);
    await until('all is paid', async () => {
      await askForPayout(story.pool);
      await story.mine();
      await story.followed();
      await this.#payer.turn();
      const { open, lines, isAsked } = await story.shown();
      const { operator: _, ...due } = await coinsIn(story.pool, 'due');
      return (
        open === 0 && lines === 0 && !isAsked && Object.values(due).every((amount) => Number(amount) < 1)
      );
    }).catch(async (error: Error) => {
      throw new Error(
        `${error.message}: ${JSON.stringify([await story.shown(), await coinsIn(story.pool, 'due')])}`,
      );
    });
    const got = await this.#onChain();
    expect(Object.fromEntries(got)).toEqual(Object.fromEntries(this.#given));
    await expectProved(story.pool);
    for (const { state } of await story.transactions()) this.counts[state] = (this.counts[state] ?? 0) + 1;
  }
}

it('29: everybody is paid what is owed, once, whatever happens', async () => {
  const counts: Record<string, number> = {};
  for (let i = 0; i < HISTORIES; i++) {
    await using story = await PayerStory.open();
    const history = new History(story, SEED + i);
    await history.run().catch((error: Error) => {
      throw new Error(`seed ${SEED + i}: ${error.message}`, { cause: error });
    });
    for (const [name, count] of Object.entries(history.counts)) counts[name] = (counts[name] ?? 0) + count;
  }
  // Histories in which nothing happens show nothing.
  for (const name of ['paid', 'dead', 'restart', 'fork'])
    expect(counts[name], name).toBeGreaterThan(HISTORIES);
});
