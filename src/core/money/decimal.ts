/** Exact decimals, as commands and accounts have them: never floating point. */

/** `mantissa * 10^-places`, without needless places: equal values are equal objects. */
export interface Decimal {
  readonly mantissa: bigint;
  readonly places: number;
}

/** Decimal places of an amount of coins, and of a balance. */
export const AMOUNT_PLACES = 12;
export const UNITS_A_COIN = 10n ** BigInt(AMOUNT_PLACES);

const WRITTEN = /^(-?)(\d{1,320})(?:\.(\d{1,320}))?(?:[eE]([+-]?\d{1,3}))?$/;
/** As many as the contract language has. */
const MOST_PLACES = 255;
const GREATEST_EXPONENT = 320;
const GREATEST_NUMBER = 2n ** 53n - 1n;

/** `1`, `1.50`, `-2e-8`; `undefined` for what is none, or of more than 255 places. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = WRITTEN.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', decimals = '', exponent = '0'] = match;
  if (Math.abs(Number(exponent)) > GREATEST_EXPONENT) return undefined;
  const places = decimals.length - Number(exponent);
  const digits = BigInt(whole + decimals) * (sign === '-' ? -1n : 1n);
  const value = places >= 0 ? decimalOf(digits, places) : decimalOf(digits * 10n ** BigInt(-places), 0);
  return value.places <= MOST_PLACES ? value : undefined;
}

function decimalOf(mantissa: bigint, places: number): Decimal {
  let [digits, left] = [mantissa, places];
  while (left > 0 && digits % 10n === 0n) {
    digits /= 10n;
    left--;
  }
  return { mantissa: digits, places: left };
}

/** @param units of 10^-12 coins. */
export function amountOf(units: bigint): Decimal {
  return decimalOf(units, AMOUNT_PLACES);
}

/** In units of 10^-12; `undefined` for what is finer. */
export function unitsOf({ mantissa, places }: Decimal): bigint | undefined {
  return places > AMOUNT_PLACES ? undefined : mantissa * 10n ** BigInt(AMOUNT_PLACES - places);
}

/** Below zero, zero or above, as a - b is. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const { mantissa } = minus(a, b);
  return mantissa === 0n ? 0 : mantissa < 0n ? -1 : 1;
}

export function minus(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places);
  const at = ({ mantissa, places: own }: Decimal): bigint => mantissa * 10n ** BigInt(places - own);
  return decimalOf(at(a) - at(b), places);
}

/** As code writes it: `1.0`, `0.000000000001`. */
export function decimalText({ mantissa, places }: Decimal): string {
  const digits = (mantissa < 0n ? -mantissa : mantissa).toString().padStart(places + 1, '0');
  const split = digits.length - places;
  return `${mantissa < 0n ? '-' : ''}${digits.slice(0, split)}.${digits.slice(split) || '0'}`;
}

/** As answers write it: `100000000`, `0.5`, `1.0e-8`, and `{"decimal":"…"}` beyond what a double holds. */
export function decimalJson(value: Decimal): string {
  const { mantissa } = value;
  const size = mantissa < 0n ? -mantissa : mantissa;
  if (size > GREATEST_NUMBER) return `{"decimal":"${decimalText(value)}"}`;
  return numberText(value);
}

/** From a tenth to ten millions plain, whole numbers too; others with an exponent. */
export function numberText(value: Decimal): string {
  const { mantissa, places } = value;
  if (places === 0) return mantissa.toString();
  const digits = (mantissa < 0n ? -mantissa : mantissa).toString();
  const exponent = digits.length - places;
  if (exponent >= 0 && exponent <= 7) return decimalText(value);
  return `${mantissa < 0n ? '-' : ''}${digits[0]}.${digits.slice(1) || '0'}e${exponent - 1}`;
}
