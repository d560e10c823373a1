/** The ledger of a payer, and the follower that applies blocks to it. */
import { type Block, CHAINS, type Chain, type ChainId, type Command, failed } from './chains.js';
import { type Rule, Wrong } from './rules.js';

/** A line of a payout. */
interface Line {
  readonly account: number;
  readonly amount: number;
  readonly chain: ChainId;
  isOpen: boolean;
}

type End = 'paid' | 'failed' | 'dead';

interface Transaction extends Command {
  state: 'open' | End;
  isSigned: boolean;
  isSent: boolean;
  readonly number: number;
}

interface Cursor {
  readonly height: number;
  readonly id: number;
  readonly time: number;
}

/** A block at or below a cursor, with what it ended. */
interface Applied extends Cursor {
  readonly ended: [key: string, as: End][];
}

interface Role {
  token: string;
  /** Of the signer that the holder had. */
  signer: Signer;
  isReady: boolean;
  /** Nothing is built before the cursors have passed it. */
  wait: number;
  /** A command that was met though nobody here can have made it. */
  stranger: string | undefined;
}

export interface Signer {
  readonly id: number;
  signatures: number;
}

export interface Ledger {
  balances: number[];
  /** Of the incomes, so many have come. */
  incomes: number;
  lines: Record<string, Line>;
  transactions: Record<string, Transaction>;
  cursors: Cursor[];
  applied: Applied[][];
  role: Role;
  paused: string | undefined;
}

interface BooksParts {
  readonly chains: Record<ChainId, Chain>;
  readonly sent: ReadonlyMap<string, Command>;
  /** Rules that do not hold. */
  readonly out: readonly Rule[];
  readonly nextNumber: () => number;
  /** Somebody pays. */
  readonly isHeld: () => boolean;
}

export class Books {
  readonly #chains: Record<ChainId, Chain>;
  readonly #sent: ReadonlyMap<string, Command>;
  readonly #out: ReadonlySet<Rule>;
  readonly #nextNumber: () => number;
  readonly #isHeld: () => boolean;
  ledger: Ledger;

  constructor({ chains, sent, out, nextNumber, isHeld }: BooksParts) {
    this.#chains = chains;
    this.#sent = sent;
    this.#out = new Set(out);
    this.#nextNumber = nextNumber;
    this.#isHeld = isHeld;
    this.ledger = {
      ...{ balances: [0, 0], incomes: 0, lines: {}, transactions: {}, paused: undefined },
      cursors: CHAINS.map((id) => cursorAt(chains[id].blocks[1] ?? failed('no block'))),
      applied: [[], []],
      role: {
        ...{ token: 'none', signer: { id: 0, signatures: 0 }, isReady: false, wait: 0, stranger: undefined },
      },
    };
  }

  /** Takes over all that is believed. */
  follow(chain: ChainId): void {
    while (this.#next(chain) && !this.#next(chain)?.isBlind)
      this.#apply(chain, this.#next(chain) ?? failed('no block'));
  }

  #next(chain: ChainId): Block | undefined {
    const { height } = this.ledger.cursors[chain] ?? failed('no cursor');
    if (!this.isOnCourse(chain) || height >= this.#chains[chain].believed.height) return undefined;
    return this.#chains[chain].blocks[height + 1];
  }

  isOnCourse(chain: ChainId): boolean {
    return this.#chains[chain].has(this.ledger.cursors[chain] ?? failed('no cursor'));
  }

  #apply(chain: ChainId, block: Block): void {
    const applied: Applied = { ...cursorAt(block), ended: [] };
    if (this.holds('readsAll') || this.#isHeld())
      for (const command of block.commands) this.#meet(applied, command.key, command.succeeded);
    this.#pass(chain, applied);
  }

  #pass(chain: ChainId, applied: Applied): void {
    for (const transaction of this.open())
      if (transaction.chain === chain && applied.time >= transaction.until)
        this.#end(applied, transaction, 'dead');
    this.ledger.applied[chain]?.push(applied);
    this.ledger.cursors[chain] = applied;
    const { role } = this.ledger;
    role.isReady ||= CHAINS.every((one) => this.isWaitOver(one));
  }

  /** A command that stands in a block. */
  #meet(applied: Applied, key: string, succeeded: boolean): void {
    const known = this.ledger.transactions[key];
    if (!known) this.#meetUnknown(applied, key, succeeded);
    else if (known.state === 'open') this.#end(applied, known, succeeded ? 'paid' : 'failed');
    else if (!succeeded) return;
    else if (!this.holds('factsWin'))
      throw new Wrong('cannot be booked', `${key} is ${known.state} and stands in a block`);
    else {
      this.#end(applied, known, 'paid');
      this.ledger.paused = `${key} was paid after all`;
    }
  }

  #meetUnknown(applied: Applied, key: string, succeeded: boolean): void {
    const { role } = this.ledger;
    const isWaiting = !role.isReady;
    if (isWaiting || this.holds('entersAlways')) this.#enter(applied, key, succeeded);
    if (isWaiting) return;
    if (this.holds('holderPauses')) role.stranger = key;
    else this.ledger.paused = STRANGER;
  }

  #enter(applied: Applied, key: string, succeeded: boolean): void {
    const command = this.#sent.get(key) ?? failed(`nobody sent ${key}`);
    const { account, amount, chain, line } = command;
    const { lines, transactions } = this.ledger;
    lines[line] ??= { account, amount, chain, isOpen: true };
    if (this.liveOf(line) && !this.holds('factsWin'))
      throw new Wrong('cannot be booked', `${key} is another one of its line`);
    const entered = this.transactionOf(command, true);
    transactions[key] = entered;
    this.#end(applied, entered, succeeded ? 'paid' : 'failed');
    if (!succeeded) this.#lineOf(entered).isOpen = false;
  }

  #end(applied: Applied, transaction: Transaction, as: End): void {
    if (as === 'paid') {
      this.move(transaction.account, -transaction.amount);
      this.#lineOf(transaction).isOpen = false;
    }
    transaction.state = as;
    applied.ended.push([transaction.key, as]);
  }

  /** By order, after a reorganisation below the depth: what the blocks did that are gone is undone. False where a newer attempt stands in the way. */
  undo(chain: ChainId): boolean {
    if (this.isOnCourse(chain)) return true;
    const applied = this.ledger.applied[chain] ?? failed('no chain');
    let kept = applied.length;
    while (kept > 0 && !this.#chains[chain].has(applied[kept - 1] ?? failed('no block'))) kept--;
    const ended = applied
      .slice(kept)
      .reverse()
      .flatMap((one) => one.ended);
    const reopened = ended.filter(([, as]) => as !== 'dead' || this.holds('reopensDead'));
    if (reopened.some(([key]) => this.#hasNewer(key))) return false;
    for (const [key, as] of reopened) this.#reopen(key, as);
    applied.length = kept;
    this.ledger.cursors[chain] =
      applied.at(-1) ?? cursorAt(this.#chains[chain].blocks[1] ?? failed('no block'));
    return true;
  }

  #reopen(key: string, from: End): void {
    const transaction = this.ledger.transactions[key] ?? failed(`no transaction ${key}`);
    if (from === 'paid') this.move(transaction.account, transaction.amount);
    this.#lineOf(transaction).isOpen = true;
    transaction.state = 'open';
  }

  #hasNewer(key: string): boolean {
    const { line, number } = this.ledger.transactions[key] ?? failed(`no transaction ${key}`);
    return Object.values(this.ledger.transactions).some(
      (one) => one.line === line && one.number > number && (one.state === 'open' || one.state === 'paid'),
    );
  }

  /** By order: the payload of the next block is gone everywhere, and what was in it is told by an explorer. */
  skip(chain: ChainId): void {
    const block = this.#next(chain);
    if (!block?.isBlind) return;
    const applied: Applied = { ...cursorAt(block), ended: [] };
    if (this.holds('settlesSkipped'))
      for (const { key, succeeded } of block.commands) {
        const known = this.ledger.transactions[key];
        if (known?.state === 'open') this.#end(applied, known, succeeded ? 'paid' : 'failed');
        else if (!known) this.#enter(applied, key, succeeded);
      }
    this.#pass(chain, applied);
  }

  isWaitOver(chain: ChainId): boolean {
    const { wait } = this.ledger.role;
    const isOver = (one: ChainId): boolean => (this.ledger.cursors[one]?.time ?? 0) >= wait;
    return this.holds('waitsForAll') ? CHAINS.every(isOver) : isOver(chain);
  }

  holds(rule: Rule): boolean {
    return !this.#out.has(rule);
  }

  move(account: number, amount: number): void {
    this.ledger.balances[account] = (this.ledger.balances[account] ?? 0) + amount;
  }

  claimsOf(account: number): number {
    return sumOf(Object.values(this.ledger.lines).filter((line) => line.isOpen && line.account === account));
  }

  open(): Transaction[] {
    return Object.values(this.ledger.transactions).filter(({ state }) => state === 'open');
  }

  liveOf(line: string): Transaction | undefined {
    const isLive = (one: Transaction): boolean =>
      one.line === line && (one.state === 'open' || one.state === 'paid');
    return Object.values(this.ledger.transactions).find(isLive);
  }

  #lineOf({ line }: Transaction): Line {
    return this.ledger.lines[line] ?? failed(`no ${line}`);
  }

  transactionOf(command: Command, isSent: boolean): Transaction {
    return { ...command, state: 'open', isSigned: isSent, isSent, number: this.#nextNumber() };
  }
}

/** A command of this ledger that nobody here knows of. */
export const STRANGER = 'another payer has the key';

function cursorAt({ height, id, time }: Block): Cursor {
  return { height, id, time };
}

export function sumOf(some: readonly { readonly amount: number }[]): number {
  return some.reduce((sum, { amount }) => sum + amount, 0);
}
