/** What must hold of payouts at each step, by the numbers of `payouts.md`: credits that were given, blocks of nodes, rows of the books. */
import { expect } from 'vitest';
import { type Amount, formatAmount, parseAmount } from '../../../src/core/money/amount.js';
import type { Books } from '../books/books.js';
import { expectProved, giveMoney, moneyIn } from '../books/money.js';
import { type Moved, Oracle } from './oracle.js';
import { PAYER, type World, type WorldNode } from './world.js';

export interface ModelRules {
  readonly chainIds: readonly number[];
  /** What the payer began with on each chain. */
  readonly funds: Amount;
  readonly reserve: Amount;
  /** Of what nobody has approved. */
  readonly day: Amount | undefined;
}

export class PayoutModel {
  readonly oracle = new Oracle();
  readonly credited = new Map<string, Amount>();
  readonly #world: World;
  readonly #books: Books;
  readonly #rules: ModelRules;
  /** Of commands that may come into blocks while payouts are paused: those that were sent before. */
  #keysAtPause: ReadonlySet<string> | undefined;

  constructor(world: World, books: Books, rules: ModelRules) {
    this.#world = world;
    this.#books = books;
    this.#rules = rules;
  }

  async credit(account: string, amount: Amount): Promise<void> {
    await giveMoney(this.#books.pool, account, amount);
    this.credited.set(account, (this.credited.get(account) ?? 0n) + amount);
  }

  /** Of all accounts, on one node. */
  async paidOn(node: WorldNode): Promise<Map<string, Amount>> {
    const paid = new Map<string, Amount>();
    for (const { to, amount } of await this.#payments(node)) paid.set(to, (paid.get(to) ?? 0n) + amount);
    return paid;
  }

  async check(): Promise<void> {
    // I1 to I5, as far as the books can prove them.
    await expectProved(this.#books.pool);
    await this.#checkSums();
    for (const node of this.#world.nodes) await this.#checkNode(node);
    await this.#checkChains(this.#world.a);
    await this.#checkDay();
    await this.#notePause();
  }

  /** All is over: what the books call paid is what is on chain, on each node, to the last unit. */
  async checkQuiet(): Promise<void> {
    await this.check();
    const paid = new Map(Object.entries(await moneyIn(this.#books.pool, 'paid')));
    for (const node of this.#world.nodes)
      expect(inCoins(await this.paidOn(node)), `I9, quiet, node ${node.name}`).toEqual(inCoins(paid));
    expect(await moneyIn(this.#books.pool, 'paying'), 'nothing is under way').toEqual({});
    await this.#checkGas();
  }

  /** I1, I2: what was credited is due, under way or paid. */
  async #checkSums(): Promise<void> {
    const books = await Promise.all(
      ['balance', 'paying', 'paid'].map((book) => moneyIn(this.#books.pool, book)),
    );
    for (const [account, credited] of this.credited)
      expect(
        books.reduce((sum, book) => sum + (book[account] ?? 0n), 0n),
        `I1, ${account}`,
      ).toBe(credited);
    const { rows } = await this.#books.pool.query<{ name: string; amount: string }>(
      "SELECT a.name, sum(l.amount)::text AS amount FROM payment l JOIN account a ON a.id = l.account_id WHERE l.state = 'confirmed' GROUP BY 1",
    );
    const confirmed = new Map(
      rows.map(({ name, amount }) => [name, parseAmount(amount) ?? expect.fail(amount)]),
    );
    expect(inCoins(new Map(Object.entries(books[2] ?? {}))), 'I2').toEqual(inCoins(confirmed));
  }

  /** I9, I4, I10: nobody has more on chain than was credited, each line is there once, and nothing that was new in a pause. */
  async #checkNode(node: WorldNode): Promise<void> {
    for (const [account, paid] of await this.paidOn(node))
      expect(paid <= (this.credited.get(account) ?? 0n), `I9, ${account} on node ${node.name}`).toBe(true);
    const payments = await this.#payments(node);
    const keys = payments.map(({ requestKey = '' }) => requestKey);
    expect(new Set(keys).size, `I4, node ${node.name}`).toBe(keys.length);
    const lines = await this.#linesOf(keys);
    expect(new Set(lines).size, `a line is on node ${node.name} twice`).toBe(keys.length);
    if (this.#keysAtPause)
      expect(
        keys.filter((key) => !this.#keysAtPause?.has(key)),
        'I10',
      ).toEqual([]);
  }

  /** I6, I8: the account of the payer as the books know it is what blocks make of it, and never below the reserve. */
  async #checkChains(node: WorldNode): Promise<void> {
    const { rows } = await this.#books.pool.query<{ chain: number; hash: string; balance: string }>(
      'SELECT chain_id AS chain, hash, balance::text FROM payer_chain',
    );
    for (const chainId of this.#rules.chainIds) {
      const read = rows.find(({ chain }) => chain === chainId);
      let balance = this.#rules.funds;
      for (const { hash, moved } of await this.oracle.chain(node.url, chainId)) {
        balance += moved.reduce((sum, each) => sum + ofPayer(each), 0n);
        expect(balance >= this.#rules.reserve, `I8, chain ${chainId}`).toBe(true);
        if (hash === read?.hash) expect(read.balance, `I6, chain ${chainId}`).toBe(formatAmount(balance));
      }
    }
  }

  /** I7 of one day: what was sent of batches that nobody has approved. */
  async #checkDay(): Promise<void> {
    const { day } = this.#rules;
    if (day === undefined) return;
    const { rows } = await this.#books.pool.query<{ sent: string }>(
      `SELECT coalesce(sum(l.amount), 0)::text AS sent FROM payment l JOIN payout b ON b.id = l.payout_id WHERE b.approvals_needed = 0
       AND EXISTS (SELECT FROM transaction t WHERE t.payment_id = l.id AND t.sent_at IS NOT NULL)`,
    );
    expect((parseAmount(rows[0]?.sent ?? '') ?? expect.fail('I7')) <= day, 'I7').toBe(true);
  }

  async #notePause(): Promise<void> {
    const { rows } = await this.#books.pool.query<{ keys: string[] }>(
      `SELECT ARRAY (SELECT request_key FROM transaction WHERE sent_at IS NOT NULL) AS keys FROM payer WHERE paused_at IS NOT NULL`,
    );
    if (!rows[0]) this.#keysAtPause = undefined;
    else this.#keysAtPause ??= new Set(rows[0].keys);
  }

  /** I6 when quiet: gas in the books is what payers of transactions have lost on chain besides. */
  async #checkGas(): Promise<void> {
    const booked = Object.values(await moneyIn(this.#books.pool, 'gas')).reduce((sum, one) => sum + one, 0n);
    let taken = 0n;
    for (const chainId of this.#rules.chainIds)
      for (const { moved } of await this.oracle.chain(this.#world.a.url, chainId))
        for (const each of moved) if (!this.credited.has(each.to)) taken -= ofPayer(each);
    expect(formatAmount(booked), 'I6, gas').toBe(formatAmount(taken));
  }

  async #payments(node: WorldNode): Promise<Moved[]> {
    const moved: Moved[] = [];
    for (const chainId of this.#rules.chainIds)
      for (const block of await this.oracle.chain(node.url, chainId)) moved.push(...block.moved);
    return moved.filter(({ from, to }) => from === PAYER.account && this.credited.has(to));
  }

  async #linesOf(keys: readonly string[]): Promise<string[]> {
    const { rows } = await this.#books.pool.query<{ line: string }>(
      'SELECT payment_id::text AS line FROM transaction WHERE request_key = ANY ($1::text[])',
      [keys],
    );
    return rows.map(({ line }) => line);
  }
}

function ofPayer({ from, to, amount }: Moved): Amount {
  return (to === PAYER.account ? amount : 0n) - (from === PAYER.account ? amount : 0n);
}

function inCoins(amounts: ReadonlyMap<string, Amount>): Record<string, string> {
  return Object.fromEntries([...amounts].sort().map(([name, amount]) => [name, formatAmount(amount)]));
}
