/** Who signed for what: which keys count for a guard, and how many coins may still go from whom to whom. */

import { compareDecimals, type Decimal, decimalText, minus } from '../../core/money/decimal.js';
import type { Value } from './codec.js';
import type { Capability, Signer } from './command.js';
import { type Guard, isSatisfied } from './guards.js';
import { evalError, txFailure } from './result.js';

/** What a signature may be limited to, while it is in force. */
type InForce =
  | { readonly name: 'coin.GAS' }
  | { readonly name: 'coin.TRANSFER'; readonly sender: string; readonly receiver: string };

export class Authority {
  /** By key: where one is named twice, the last one counts. */
  readonly #signers: ReadonlyMap<string, Signer>;
  /** What is left of the amounts that were signed for, by sender and receiver. */
  readonly #left = new Map<string, Decimal>();

  constructor(signers: readonly Signer[]) {
    this.#signers = new Map(signers.map((signer) => [signer.publicKey, signer]));
    for (const { sender, receiver, amount } of [...this.#signers.values()].flatMap(transfersOf)) {
      const pair = JSON.stringify([sender, receiver]);
      const known = this.#left.get(pair);
      // Of two amounts for one pair only one is installed, and that is the smaller.
      if (known === undefined || compareDecimals(amount, known) < 0) this.#left.set(pair, amount);
    }
  }

  /** Whether the keys that count while this is in force satisfy a guard. */
  satisfies(guard: Guard, inForce: InForce): boolean {
    const counting = [...this.#signers.values()].filter(
      ({ scope }) => scope === undefined || scope.some((one) => isFor(one, inForce)),
    );
    return isSatisfied(guard, new Set(counting.map(({ publicKey }) => publicKey)));
  }

  /** Throws where nobody signed for such a transfer. */
  requireTransfer(sender: string, receiver: string): void {
    if (!this.#left.has(JSON.stringify([sender, receiver]))) throw evalError(NOT_INSTALLED);
  }

  /** Takes an amount from what was signed for. Throws where less is left. */
  spend(sender: string, receiver: string, amount: Decimal): void {
    const pair = JSON.stringify([sender, receiver]);
    const left = this.#left.get(pair) ?? { mantissa: 0n, places: 0 };
    if (compareDecimals(amount, left) > 0)
      throw txFailure(`TRANSFER exceeded for balance ${decimalText(left)}`);
    this.#left.set(pair, minus(left, amount));
  }

  /** How many signatures are for somebody else to pay the gas. */
  get gasPayers(): number {
    const scopes = [...this.#signers.values()].flatMap(({ scope = [] }) => scope);
    return scopes.filter(({ name }) => name.endsWith('.GAS_PAYER')).length;
  }
}

const NOT_INSTALLED =
  'Managed capability coin.TRANSFER was not installed. Check the sigs field or the arguments to verify that the capability is specified correctly.';

interface Transfer {
  readonly sender: string;
  readonly receiver: string;
  readonly amount: Decimal;
}

function transfersOf({ scope = [] }: Signer): Transfer[] {
  return scope.flatMap(({ name, args: [sender, receiver, amount, ...more] }) => {
    const fits = name === 'coin.TRANSFER' && more.length === 0;
    if (!fits || typeof sender !== 'string' || typeof receiver !== 'string' || !isDecimal(amount)) return [];
    return [{ sender, receiver, amount: amount.decimal }];
  });
}

function isDecimal(value: Value | undefined): value is { decimal: Decimal } {
  return typeof value === 'object' && value !== null && 'decimal' in value;
}

/** A signature for an amount counts for each part of it. */
function isFor({ name, args }: Capability, inForce: InForce): boolean {
  if (name !== inForce.name) return false;
  if (inForce.name === 'coin.GAS') return args.length === 0;
  return args.length === 3 && args[0] === inForce.sender && args[1] === inForce.receiver;
}
