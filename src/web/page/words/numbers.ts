/** Numbers as people read them. Units stand behind a blank that does not break. */

const NARROW = '\u202f';
const BLANK = '\u00a0';
const SCALE = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Z'];
const SCALE_WORDS = [
  ...['', 'thousand', 'million', 'billion', 'trillion', 'quadrillion', 'quintillion', 'sextillion'],
];

/** 12 345 */
export function count(value: number): string {
  return grouped(String(Math.round(value)));
}

/** @param digits of a whole number. */
export function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, NARROW);
}

interface Scaled {
  /** Three digits that count. */
  readonly number: string;
  /** `M`; empty below a thousand. */
  readonly letter: string;
}

function scaled(value: number): Scaled {
  const step = stepOf(value);
  return { number: digits(value / 1000 ** step, step), letter: SCALE[step] ?? '' };
}

/** `1.23 G`, with the unit behind. */
export function withUnit(value: number, unit: string): string {
  const { number, letter } = scaled(value);
  return `${number}${BLANK}${letter}${unit}`;
}

/** `1.23 G hashes`. @param amount also as the API has it, where it may pass 2^53. */
export function hashes(amount: number | string): string {
  const { number, letter } = scaled(Number(amount));
  return [number, letter, 'hashes'].filter(Boolean).join(BLANK);
}

export function hashRate(hashesPerSecond: number): string {
  return withUnit(hashesPerSecond, 'H/s');
}

/** `± 12`, in the unit and with the digits of the value that it belongs to; `± < 1` where these are too few: it is not nothing. */
export function errorBeside(value: number, standardError: number): string {
  const step = stepOf(value);
  const places = placesOf(value / 1000 ** step, step);
  const shown = (standardError / 1000 ** step).toFixed(places);
  const isLess = standardError > 0 && Number(shown) === 0;
  return `±${BLANK}${isLess ? `<${BLANK}${10 ** -places}` : shown}`;
}

interface Scale {
  readonly divisor: number;
  readonly letter: string;
  /** `million`; empty below a thousand. */
  readonly word: string;
}

/** By which a value, and those beside it, are written. */
export function scaleOf(value: number): Scale {
  const step = stepOf(value);
  return { divisor: 1000 ** step, letter: SCALE[step] ?? '', word: SCALE_WORDS[step] ?? '' };
}

function stepOf(value: number): number {
  let step = 0;
  for (let rest = value; rest >= 999.5 && step < SCALE.length - 1; rest /= 1000) step++;
  return step;
}

function digits(value: number, step: number): string {
  return value.toFixed(placesOf(value, step));
}

function placesOf(value: number, step: number): number {
  return value >= 100 || (step === 0 && Number.isInteger(value)) ? 0 : value >= 10 ? 1 : 2;
}

/** `98.2 %`; never all or nothing while something is missing to it. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return `0${BLANK}%`;
  const value = (100 * part) / whole;
  const bounded = part === whole ? 100 : Math.min(99.9, part === 0 ? 0 : Math.max(0.1, value));
  return `${bounded === 100 || bounded === 0 ? bounded : bounded.toFixed(1)}${BLANK}%`;
}

/** `1 %`, `0.25 %`. @param part 0 to 1. */
export function percentOf(part: number): string {
  return `${Number((100 * part).toFixed(2))}${BLANK}%`;
}

/** `12 rigs`, `1 rig`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)}${BLANK}${value === 1 ? one : many}`;
}

/** `0.4 ms`, `12 ms`, `1.2 s`. */
export function milliseconds(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)}${BLANK}s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)}${BLANK}ms`;
}

/** `1.23 G`, as a difficulty stands beside the words for it. @param of as the API has it. */
export function inHashes({ difficulty }: { readonly difficulty: string }): string {
  return withUnit(Number(difficulty), '');
}
