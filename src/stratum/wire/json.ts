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

/** The parsed line, or the parser's words about why it is no JSON. */
export function parseJson(line: string): { readonly value: JsonValue } | { readonly fault: string } {
  try {
    return { value: JSON.parse(line) as JsonValue };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** A value as it may stand in a sentence: short, on one line. */
export function show(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
