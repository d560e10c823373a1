/** Amounts of the chain's coin: integers in units of 10^-12, written with up to 12 decimals. Never floating point. */

import { AMOUNT_PLACES, amountOf, decimalText, UNITS_A_COIN } from './decimal.js';

export type Amount = bigint;

/** Reads `12`, `0.5`, `-1.000000000001`; `undefined` for anything else, and for more decimals than there are. */
export function parseAmount(text: string): Amount | undefined {
  const match = /^(-?)(\d{1,26})(?:\.(\d{1,12}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '0', decimals = ''] = match;
  const value = BigInt(whole) * UNITS_A_COIN + BigInt(decimals.padEnd(AMOUNT_PLACES, '0'));
  return sign ? -value : value;
}

/** Always with 12 decimals: `0.500000000000`. */
export function formatAmount(amount: Amount): string {
  const size = amount < 0n ? -amount : amount;
  const decimals = (size % UNITS_A_COIN).toString().padStart(AMOUNT_PLACES, '0');
  return `${amount < 0n ? '-' : ''}${size / UNITS_A_COIN}.${decimals}`;
}

/** As code and commands write it, without needless zeros, and never without a decimal: `1.0`, `0.000000000001`. */
export function amountLiteral(amount: Amount): string {
  return decimalText(amountOf(amount));
}
