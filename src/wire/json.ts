/** JSON values as types, and the id of a request kept as it was written. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The JSON text of a request's id: rigs use numbers, strings and worse, and want it back as it came. */
export type RequestId = string & { readonly __brand: 'RequestId' };

export const NO_ID = 'null' as RequestId;

export function requestIdOf(value: JsonValue): RequestId {
  return JSON.stringify(value) as RequestId;
}

/** The id of a message; numbers that a double does not hold are taken from the line's text. */
export function idIn(message: JsonObject, line: string): RequestId {
  const id = message['id'] ?? null;
  if (typeof id !== 'number' || Number.isSafeInteger(id)) return requestIdOf(id);
  for (const [, text] of line.matchAll(/"id"\s*:\s*(-?\d[\d.eE+-]*)/g)) {
    if (text !== undefined && Object.is(Number(text), id)) return text as RequestId;
  }
  return NO_ID;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The dialect needs three. What is read in a loop is written by recursion, and thousands of levels end its stack. */
const MAX_LEVELS = 64;

/** The parsed line, or why it is no JSON that is taken: the parser's words, or that it nests too deep. */
export function parseJson(line: string): { readonly value: JsonValue } | { readonly fault: string } {
  try {
    const value = JSON.parse(line) as JsonValue;
    // A level takes two characters at the least, so nearly no line is looked through.
    if (line.length <= 2 * MAX_LEVELS || !isDeeper(value, MAX_LEVELS)) return { value };
    return { fault: `it nests deeper than ${MAX_LEVELS} levels` };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** A value as it may stand in a sentence: short, on one line. */
export function show(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
