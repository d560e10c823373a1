/**
 * What accounts were credited over all, whatever books remember of it; and the oracle: on no node has an account more than that,
 * by TRANSFER events of its blocks. Nothing of `src/payouts` is asked.
 *
 * A restored backup forgets credits that came after it. They stay credited here, since the pool owes them: nobody may ever have more
 * on chain than was credited once, and each is counted once. An operator books again what the backup has forgotten (from blocks and
 * shares that are known elsewhere); so does the story, with `bookAgain`. Until then what was paid out of such a credit makes a balance
 * negative in the books, and a negative balance is never paid.
 */
import { expect } from 'vitest';
import { type Amount, formatAmount } from '../../../src/core/money/amount.js';
import type { Ledger } from '../../../src/ledger/ledger.js';
import { giveMoney, moneyIn } from '../../helpers/books/money.js';
import { Oracle } from '../../helpers/payouts/oracle.js';
import { CHAINS, type DayNode } from './day-nodes.js';

interface Credit {
  readonly account: string;
  readonly amount: Amount;
}

export class DayCredits {
  readonly #oracle = new Oracle();
  readonly #payer: string;
  readonly #given: Credit[] = [];
  readonly #credited = new Map<string, Amount>();
  #forgotten: Credit[] = [];
  /** Of payments that were seen on a node, by request key: reorganisations bring many of them twice. */
  readonly seen = new Set<string>();

  constructor(payer: string) {
    this.#payer = payer;
  }

  async give({ pool }: Ledger, account: string, amount: Amount): Promise<void> {
    // Before it is in the books: what is paid of it a moment later is no fault.
    this.#given.push({ account, amount });
    this.#credited.set(account, (this.#credited.get(account) ?? 0n) + amount);
    await giveMoney(pool, account, amount);
  }

  /** How many there are: what a backup has that is made now. */
  get count(): number {
    return this.#given.length;
  }

  get total(): Amount {
    return this.#given.reduce((sum, { amount }) => sum + amount, 0n);
  }

  /** A backup with so many of them is restored. */
  forget(count: number): number {
    this.#forgotten = this.#given.slice(count);
    return this.#forgotten.length;
  }

  /** A part of what was forgotten, or all that is left. Resolves with how many. */
  async bookAgain({ pool }: Ledger, most = Number.POSITIVE_INFINITY): Promise<number> {
    const some = this.#forgotten.splice(0, most);
    for (const { account, amount } of some) await giveMoney(pool, account, amount);
    return some.length;
  }

  /** I9: no account has more on any of these nodes than it was ever credited, and no command is there twice. */
  async check(nodes: readonly DayNode[]): Promise<void> {
    for (const node of nodes)
      for (const [account, paid] of await this.#paidOn(node)) {
        const credited = this.#credited.get(account) ?? 0n;
        const words = `I9: ${account} has ${formatAmount(paid)} on node ${node.name}, and was credited ${formatAmount(credited)}`;
        expect(paid <= credited, words).toBe(true);
      }
  }

  /** Quiet: on each node every account has what the books call paid; what was credited and not paid is its balance, below the minimum. */
  async checkQuiet(nodes: readonly DayNode[], { pool }: Ledger, minimum: Amount): Promise<void> {
    await this.check(nodes);
    const [paid, balance, paying] = await Promise.all(
      ['paid', 'balance', 'paying'].map((book) => moneyIn(pool, book)),
    );
    expect(this.#forgotten, 'what a backup forgot is booked again').toEqual([]);
    expect(paying, 'nothing is under way').toEqual({});
    for (const node of nodes)
      expect(inCoins(await this.#paidOn(node)), `I9, quiet, node ${node.name}`).toEqual(
        inCoins(new Map(Object.entries(paid ?? {}))),
      );
    for (const [account, credited] of this.#credited) {
      const left = balance?.[account] ?? 0n;
      expect(formatAmount((paid?.[account] ?? 0n) + left), `I1, ${account}`).toBe(formatAmount(credited));
      expect(left >= 0n && left < minimum, `${account} has ${formatAmount(left)} left`).toBe(true);
    }
  }

  async #paidOn(node: DayNode): Promise<Map<string, Amount>> {
    const paid = new Map<string, Amount>();
    const keys = new Set<string>();
    for (const chainId of CHAINS)
      for (const { moved } of await this.#oracle.chain(node.url, chainId))
        for (const { from, to, amount, requestKey } of moved) {
          if (from !== this.#payer || requestKey === undefined || !this.#credited.has(to)) continue;
          expect(keys.has(requestKey), `command ${requestKey} is on node ${node.name} twice`).toBe(false);
          keys.add(requestKey);
          this.seen.add(requestKey);
          paid.set(to, (paid.get(to) ?? 0n) + amount);
        }
    return paid;
  }
}

function inCoins(amounts: ReadonlyMap<string, Amount>): Record<string, string> {
  return Object.fromEntries([...amounts].sort().map(([name, amount]) => [name, formatAmount(amount)]));
}
