/** Values of the contract language, as commands and answers write them in JSON. */
import { type Decimal, decimalJson, parseDecimal } from '../../core/money/decimal.js';
import { type Guard, guardOf, isKey } from './guards.js';

export type Value =
  | string
  | boolean
  | null
  /** An integer. */
  | bigint
  | { readonly decimal: Decimal }
  | { readonly time: string }
  | { readonly guard: Guard }
  | { readonly fields: ReadonlyMap<string, Value> }
  | readonly Value[];

/** A number as it was written: a double need not hold it. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const DEEPEST = 64;

/** Like `JSON.parse`, but each number is a {@link NumberText}. Throws SyntaxError, also for what is nested too deeply. */
export function parseJson(text: string): unknown {
  JSON.parse(text);
  // A string gets a sign in front, and so does a number, which becomes a string: neither can be taken for the other.
  const marked = text.replace(TOKEN, (token) => (token[0] === '"' ? `"$${token.slice(1)}` : `"#${token}"`));
  return unmarked(JSON.parse(marked), 0);
}

function unmarked(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw new SyntaxError(`JSON of more than ${DEEPEST} levels`);
  if (typeof value === 'string') return value[0] === '#' ? new NumberText(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) return value.map((one) => unmarked(one, depth + 1));
  const fields = fieldsOf(value);
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.entries(fields).map(([name, one]) => [name.slice(1), unmarked(one, depth + 1)]),
  );
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !(value instanceof NumberText) ? (value as Fields) : undefined;
}

/** A value of `args` or `data`; `undefined` for what is none. A bare number is a decimal. */
export function readValue(json: unknown): Value | undefined {
  if (json === null || typeof json === 'string' || typeof json === 'boolean') return json;
  if (json instanceof NumberText) return decimalValue(json.text);
  if (Array.isArray(json)) {
    const values = json.map(readValue);
    return values.includes(undefined) ? undefined : (values as Value[]);
  }
  return readObject(json as Fields);
}

function readObject(fields: Fields): Value | undefined {
  const [[name, value] = ['', undefined], ...more] = Object.entries(fields);
  if (more.length === 0) {
    if (name === 'decimal' && typeof value === 'string') return decimalValue(value);
    if (name === 'int') return integerOf(value);
    if ((name === 'time' || name === 'timep') && typeof value === 'string') return { time: value };
  }
  const guard = readKeyset(fields);
  if (guard) return { guard };
  const read = new Map<string, Value>();
  for (const [key, one] of Object.entries(fields)) {
    const inner = readValue(one);
    if (inner === undefined) return undefined;
    read.set(key, inner);
  }
  return { fields: read };
}

function decimalValue(text: string): Value | undefined {
  const decimal = parseDecimal(text);
  return decimal && { decimal };
}

const INTEGER = /^-?\d{1,320}$/;

function integerOf(value: unknown): bigint | undefined {
  const text = value instanceof NumberText ? value.text : value;
  return typeof text === 'string' && INTEGER.test(text) ? BigInt(text) : undefined;
}

/** `{"pred":…,"keys":[…]}`, with `keys-all` where no predicate is named, or a bare list of keys. */
export function readKeyset(json: unknown): Guard | undefined {
  const keys = Array.isArray(json) ? json : fieldsOf(json)?.['keys'];
  const pred = fieldsOf(json)?.['pred'] ?? 'keys-all';
  const fits = Array.isArray(keys) && keys.every((key) => typeof key === 'string');
  return fits && typeof pred === 'string' ? guardOf(pred, keys) : undefined;
}

/** Whether every key of a keyset can sign here. */
export function hasRealKeys({ keys }: Guard): boolean {
  return keys.every((key) => isKey(key) || key.startsWith('WEBAUTHN-'));
}

/** A value that is too long to be written. */
export class TooLongError extends Error {
  override readonly name = 'TooLongError';
  readonly code = 'too-long';
}

/** More characters than these are nobody's answer: values may hold each other many times over. */
const LONGEST_ANSWER = 64 * 1024;

/** Throws {@link TooLongError} where that would take more than 64 Ki characters. */
export function valueJson(value: Value): string {
  let left = LONGEST_ANSWER;
  const sized = (text: string): string => {
    left -= text.length;
    if (left < 0) throw new TooLongError(`the result has more than ${LONGEST_ANSWER} characters`);
    return text;
  };
  const write = (one: Value): string => {
    const simple = simpleJson(one);
    if (simple !== undefined) return sized(simple);
    sized('{}');
    if (Array.isArray(one)) return `[${one.map(write).join()}]`;
    const { fields } = one as { fields: ReadonlyMap<string, Value> };
    return `{${[...fields].map(([name, inner]) => `${sized(JSON.stringify(name))}:${write(inner)}`).join()}}`;
  };
  return write(value);
}

const GREATEST_NUMBER = 2n ** 53n - 1n;

function simpleJson(value: Value): string | undefined {
  if (typeof value === 'bigint') return integerJson(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if ('decimal' in value) return decimalJson(value.decimal);
  if ('guard' in value) return guardJson(value.guard);
  return 'time' in value ? JSON.stringify(value) : undefined;
}

function integerJson(value: bigint): string {
  const isSmall = value <= GREATEST_NUMBER && -value <= GREATEST_NUMBER;
  return isSmall ? `{"int":${value}}` : `{"int":"${value}"}`;
}

function guardJson({ pred, keys }: Guard): string {
  return JSON.stringify({ pred, keys });
}
