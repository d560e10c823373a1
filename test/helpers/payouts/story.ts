/** A payer on a world of nodes, with real books: round by round, so that a test can do whatever it likes between two of them. */
import { expect } from 'vitest';
import type { PayerSeat } from '../../../src/bridge/payouts/payer-books.js';
import { type Amount, formatAmount, parseAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import { payerBooks } from '../../../src/ledger/transactions/payer-books.js';
import { checkSignatures } from '../../../src/payouts/command/envelope.js';
import type { Envelope, Eyes, EyesOptions, Preflight } from '../../../src/payouts/evidence/eyes.js';
import { newMemory, type Round } from '../../../src/payouts/payer/parts.js';
import { goRound } from '../../../src/payouts/payer/payer.js';
import type { PayerTerms } from '../../../src/payouts/payer/terms.js';
import type { Signer, SignOutcome } from '../../../src/payouts/signer/signer.js';
import { signatureOf } from '../../payouts/command/sign.js';
import type { Books } from '../books/books.js';
import { giveMoney, moneyIn } from '../books/money.js';
import { pactApi } from '../processes/commands.js';
import { keyPair } from '../processes/key-pair.js';
import { TERMS } from './terms.js';
import { PAYER, type World } from './world.js';

/** Miners, by name in the stories: `rig 3` has the account of key 103. */
export const accountOf = (number: number): string => keyPair(100 + number).account;
export const coins = (text: string): Amount => parseAmount(text) ?? expect.fail(text);

/** Signs what it is asked for, and remembers it. */
export class TestSigner implements Signer {
  readonly publicKeys = [PAYER.key];
  readonly signed: string[] = [];
  readonly dead: string[] = [];
  outcome: ((outcome: SignOutcome) => SignOutcome) | undefined;

  async sign(requests: Parameters<Signer['sign']>[0]): Promise<SignOutcome[]> {
    return requests.map(({ cmd, requestKey }) => {
      this.signed.push(requestKey);
      const checked = checkSignatures(
        cmd,
        [PAYER.key],
        [{ pubKey: PAYER.key, sig: signatureOf(cmd, PAYER) }],
      );
      if (checked.is !== 'complete') throw new Error(checked.is);
      const outcome: SignOutcome = { is: 'signed', envelope: checked.envelope };
      return this.outcome ? this.outcome(outcome) : outcome;
    });
  }

  async markDead(requestKey: string): Promise<void> {
    this.dead.push(requestKey);
  }

  async close(): Promise<void> {}
}

export interface StoryOptions {
  readonly terms?: Partial<PayerTerms>;
  readonly eyes?: Partial<EyesOptions>;
  readonly gasPaidBy?: 'operator' | 'account';
  readonly nextAfter?: (ms: number) => number | undefined;
  readonly chainIds?: readonly number[];
  /** That one round reads; as many as there are, unless a test says otherwise. */
  readonly blocksARound?: number;
  /** Nobody signs here. */
  readonly watchOnly?: boolean;
  /** In place of a part, what stands around it: to fail where a test wants it. */
  readonly around?: <T extends object>(part: T, name: 'seat' | 'eyes' | 'signer') => T;
}

/** One start of a payer. Others on the same books and world are other bridges, or later starts. */
export class PayerStory {
  readonly signer: TestSigner;
  /** What a dry run says instead of the nodes; `undefined`: what they say. */
  preflight: ((envelope: Envelope) => Preflight | undefined) | undefined;
  readonly #round: Round;
  readonly #books: Books;
  readonly #world: World;

  private constructor(round: Round, signer: TestSigner, books: Books, world: World) {
    this.#round = round;
    this.signer = signer;
    this.#books = books;
    this.#world = world;
  }

  static async start(
    world: World,
    books: Books,
    options: StoryOptions = {},
    signer = new TestSigner(),
  ): Promise<PayerStory> {
    const eyes = await world.eyes(options.eyes);
    const { gasPaidBy = 'operator', around = (part) => part, chainIds = [0, 1, 2] } = options;
    const desk = payerBooks({ pool: books.pool, gasPaidBy });
    const terms = { ...TERMS, ...options.terms };
    const seat = (await desk.takeSeat(terms.place)) ?? expect.fail('another payer has the seat');
    await seat.bind(terms.from.account, terms.networkId, options.watchOnly === true);
    const story: { it?: PayerStory } = {};
    const round: Round = {
      ...{ terms, log: SILENT, memory: newMemory() },
      seat: around(seat, 'seat'),
      eyes: around(
        { ...eyes, preflight: async (...of) => story.it?.preflight?.(of[1]) ?? eyes.preflight(...of) },
        'eyes',
      ),
      signer: options.watchOnly === true ? undefined : around<Signer>(signer, 'signer'),
      signal: new AbortController().signal,
      chainIds: async () => chainIds,
      blocksARound: options.blocksARound ?? Number.POSITIVE_INFINITY,
      nextAfter: options.nextAfter ?? (() => undefined),
    };
    story.it = new PayerStory(round, signer, books, world);
    return story.it;
  }

  get seat(): PayerSeat {
    return this.#round.seat;
  }

  get eyes(): Eyes {
    return this.#round.eyes;
  }

  /** @param seat in place of its own, for these rounds. */
  async round(times = 1, seat = this.#round.seat): Promise<void> {
    for (let i = 0; i < times; i++) await goRound({ ...this.#round, seat });
  }

  /** A block on chain 0, and a round, so many times. */
  async blocks(count: number, everyS = 30): Promise<void> {
    for (let i = 0; i < count; i++) {
      await this.#world.mine(1, { everyS });
      await this.round();
    }
  }

  /** A batch of all that is due, on chain 0, that waits for nobody. */
  async prepare(chainId = 0): Promise<string> {
    const due = await this.seat.due(coins('1'), 1000);
    const lines = due.map(({ account, amount }) => ({ account, amount, part: 0, chainId }));
    const batch = {
      lines,
      minimum: coins('1'),
      contentHash: 'ab',
      approvalFor: undefined,
      approvalsNeeded: 0,
      by: 'test',
    };
    return (await this.seat.prepare(batch)) ?? expect.fail('nothing was prepared');
  }

  async states(): Promise<string[]> {
    const { rows } = await this.#books.pool.query<{ state: string }>(
      'SELECT coalesce(t.state, l.state) AS state FROM payment l LEFT JOIN transaction t ON t.payment_id = l.id ORDER BY l.id, t.id',
    );
    return rows.map(({ state }) => state);
  }

  async pause(): Promise<string | undefined> {
    return (await this.seat.state()).pause?.kind;
  }

  close(): Promise<void> {
    return this.seat.close();
  }
}

export async function earn(books: Books, amounts: Readonly<Record<number, string>>): Promise<void> {
  for (const [number, text] of Object.entries(amounts))
    await giveMoney(books.pool, accountOf(Number(number)), coins(text));
}

/** What the books say was paid, and what accounts have on chain: equal when all is quiet. */
export async function expectPaidOnChain(
  world: World,
  books: Books,
  numbers: readonly number[],
  chainIds = [0, 1, 2],
): Promise<void> {
  const paid = await moneyIn(books.pool, 'paid');
  for (const number of numbers) {
    const account = accountOf(number);
    let onChain = 0n;
    for (const chainId of chainIds) {
      const text = await pactApi(world.a, chainId).balance(account);
      if (text !== undefined) onChain += coins(/e/.test(text) ? Number(text).toFixed(12) : text);
    }
    expect(formatAmount(onChain), account).toBe(formatAmount(paid[account] ?? 0n));
  }
}
