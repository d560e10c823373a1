/** What is known of an account, and how what a block changes is kept. */
import { type Guard, guardOf } from './guards.js';

export interface Account {
  /** Units of 10^-12 coins, from 0 on. */
  readonly balance: bigint;
  readonly guard: Guard;
}

/** Coins that are there from the first block on; they are part of a network's rules. */
export interface InitialBalance {
  /** Left out: on every chain. */
  readonly chainId?: number;
  readonly account: string;
  readonly guard: { readonly pred: string; readonly keys: readonly string[] };
  /** Coins as a decimal: `1000` or `0.5`. */
  readonly amount: string;
}

/** The accounts of a chain as they are behind one of its blocks. */
export interface Accounts {
  account(name: string): Account | undefined;
}

/** What a block puts under a name: of that name, it holds for the block and those behind it, until one of them puts another. */
export interface Write {
  readonly key: string;
  readonly value: string;
}

/** A chain as it is behind one of its blocks. */
export interface ChainState extends Accounts {
  /** Whether that block, or one before it, holds this transaction. */
  isIncluded(requestKey: string): boolean;
}

/** Changes on top of other accounts, which stay as they are until somebody takes the changes over. */
export class Draft implements Accounts {
  readonly #base: Accounts;
  readonly #changed = new Map<string, Account>();

  constructor(base: Accounts) {
    this.#base = base;
  }

  account(name: string): Account | undefined {
    return this.#changed.get(name) ?? this.#base.account(name);
  }

  set(name: string, account: Account): void {
    this.#changed.set(name, account);
  }

  /** Takes over what was changed in another draft. */
  take(other: Draft): void {
    for (const [name, account] of other.#changed) this.#changed.set(name, account);
  }

  writes(): Write[] {
    return [...this.#changed].map(([name, account]) => accountWrite(name, account));
  }
}

export const NOBODY: Accounts = { account: () => undefined };

/** The place of an account among what blocks write. */
export function accountKey(name: string): string {
  return `account ${name}`;
}

/** The place of a request key among what blocks write; the value is the transaction's number in the block. */
export function inclusionKey(requestKey: string): string {
  return `transaction ${requestKey}`;
}

export function accountWrite(name: string, { balance, guard }: Account): Write {
  return { key: accountKey(name), value: JSON.stringify([name, String(balance), guard.pred, guard.keys]) };
}

export function readAccount(value: string): Account & { readonly name: string } {
  const [name, balance, pred, keys] = JSON.parse(value) as [string, string, string, string[]];
  return { name, balance: BigInt(balance), guard: guardOf(pred, keys) };
}
