/** Units of charts: with the letter of a power of a thousand, and in words for who does not know the letter. */
import { count, errorBeside, milliseconds, scaleOf, withUnit } from './numbers.js';

export interface Unit {
  /** `H/s`; empty for what is counted. */
  readonly letters: string;
  /** `hashes a second`. */
  readonly words: string;
  say(value: number): string;
}

export const HASHES_A_SECOND: Unit = {
  letters: 'H/s',
  words: 'hashes a second',
  say: (value) => withUnit(value, 'H/s'),
};

export const PERCENT_OF_EXPECTED: Unit = {
  letters: '%',
  words: 'per cent of the expected work',
  say: (value) => `${Math.round(value)}\u00a0%`,
};

export const MILLISECONDS: Unit = { letters: '', words: 'milliseconds', say: milliseconds };

/** What is counted, or a mean of what is. @param words for many of them. */
export function countsOf(words: string): Unit {
  return {
    letters: '',
    words,
    say: (value) => (Number.isInteger(value) ? count(value) : value.toFixed(1)),
  };
}

/** With its standard error. */
export function sayWithError({ say }: Unit, value: number, error: number | null | undefined): string {
  return error === null || error === undefined ? say(value) : `${say(value)} ${errorBeside(value, error)}`;
}

interface AxisUnit {
  /** By which the values are divided on the axis. */
  readonly divisor: number;
  /** What the numbers on the axis are: `MH/s, million hashes a second`. */
  readonly says: string;
}

/** One for the whole axis, by its greatest value. */
export function axisUnit({ letters, words }: Unit, greatest: number): AxisUnit {
  const { divisor, letter, word } = scaleOf(greatest);
  const inWords = word === '' ? words : `${word} ${words}`;
  return { divisor, says: letters === '' ? inWords : `${letter}${letters}, ${inWords}` };
}
