/** The calls of the contract `coin`, with its checks in its order and in its words. */

import { amountOf, type Decimal, decimalText, unitsOf } from '../../core/money/decimal.js';
import type { Account, Draft } from './accounts.js';
import type { Authority } from './authority.js';
import type { Value } from './codec.js';
import { brokenName, type Guard, isSameGuard, reservedName } from './guards.js';
import type { Event } from './result.js';
import { evalError, txFailure } from './result.js';

const WRITTEN = 'Write succeeded';
const SHOWN_OF_A_KEY = 10;

export class CoinContract {
  readonly #draft: Draft;
  readonly #authority: Authority;
  readonly events: Event[] = [];

  constructor(draft: Draft, authority: Authority) {
    this.#draft = draft;
    this.#authority = authority;
  }

  balance(name: string): Value {
    return { decimal: amountOf(this.#known(name).balance) };
  }

  details(name: string): Value {
    const { balance, guard } = this.#known(name);
    const fields: [string, Value][] = [
      ['account', name],
      ['balance', { decimal: amountOf(balance) }],
      ['guard', { guard }],
    ];
    return { fields: new Map(fields) };
  }

  createAccount(name: string, guard: Guard): Value {
    checkName(name);
    const reserved = reservedName(name, guard);
    if (reserved !== undefined) throw txFailure(reserved);
    if (this.#draft.account(name)) {
      const reason = 'Insert failed because the value already exists in the table';
      throw evalError(`Error during database operation: ${reason}: coin_coin-table at key "${shown(name)}"`);
    }
    this.#draft.set(name, { balance: 0n, guard });
    return WRITTEN;
  }

  transfer(sender: string, receiver: string, amount: Decimal): Value {
    const units = this.#debit(sender, receiver, amount);
    const { guard } = this.#known(receiver);
    this.#credit(receiver, guard, units);
    return WRITTEN;
  }

  /** To an account that is there with that guard, or to a new one. */
  transferCreate(sender: string, receiver: string, guard: Guard, amount: Decimal): Value {
    const units = this.#debit(sender, receiver, amount);
    this.#credit(receiver, guard, units);
    return WRITTEN;
  }

  /** Takes the amount from its sender, if all is as it must be. Returns it in units. */
  #debit(sender: string, receiver: string, amount: Decimal): bigint {
    if (sender === receiver) throw txFailure('sender cannot be the receiver of a transfer');
    checkName(sender);
    checkName(receiver);
    if (amount.mantissa <= 0n) throw txFailure('transfer amount must be positive');
    const units = unitsOf(amount);
    if (units === undefined) throw txFailure(`Amount violates minimum precision: ${decimalText(amount)}`);
    this.#acquireTransfer(sender, receiver, amount);
    const { balance, guard } = this.#known(sender);
    if (units > balance) throw txFailure('Insufficient funds');
    this.#draft.set(sender, { balance: balance - units, guard });
    return units;
  }

  #acquireTransfer(sender: string, receiver: string, amount: Decimal): void {
    this.#authority.requireTransfer(sender, receiver);
    const { guard } = this.#known(sender);
    if (!this.#authority.satisfies(guard, { name: 'coin.TRANSFER', sender, receiver })) {
      const keys = guard.keys.map((key) => `${key.slice(0, SHOWN_OF_A_KEY)}...`).join(', ');
      throw txFailure(`Keyset failure ( ${guard.pred} ):  ${keys}`);
    }
    this.#authority.spend(sender, receiver, amount);
    this.events.push(transferEvent(sender, receiver, amount));
  }

  #credit(name: string, guard: Guard, units: bigint): void {
    const known = this.#draft.account(name);
    if (known && !isSameGuard(known.guard, guard)) throw txFailure('account guards do not match');
    const reserved = known ? undefined : reservedName(name, guard);
    if (reserved !== undefined) throw txFailure(reserved);
    this.#draft.set(name, { balance: (known?.balance ?? 0n) + units, guard });
  }

  #known(name: string): Account {
    const account = this.#draft.account(name);
    if (account) return account;
    throw txFailure(`No value found in table coin_coin-table for key: ${shown(name)}`);
  }
}

export function transferEvent(sender: string, receiver: string, amount: Decimal): Event {
  return { name: 'TRANSFER', params: [sender, receiver, { decimal: amount }] };
}

function checkName(name: string): void {
  const broken = brokenName(name);
  if (broken !== undefined) throw txFailure(broken);
}

function shown(key: string): string {
  return key.length > SHOWN_OF_A_KEY ? `${key.slice(0, SHOWN_OF_A_KEY)}...` : key;
}
