/** Reads code: what stands where, and not yet what it means. */

import { parseDecimal } from '../../core/money/decimal.js';
import type { Value } from './codec.js';

export type Node =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'name'; readonly name: string }
  /** In round brackets. */
  | { readonly kind: 'call'; readonly parts: readonly Node[] }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [name: string, value: Node])[] };

const BLANK = /(?:\s|;[^\n]*)*/y;
const TOKEN =
  /[()[\]{},]|:=?|"(?:[^"\\]|\\[\s\S])*"|'[^\s()[\]{}"',:;]+|-?\d+(?:\.\d+)?(?=[\s()[\]{},:;]|$)|[^\s()[\]{}"',:;]+/y;
const DEEPEST = 64;

/** Throws SyntaxError with what was expected instead. */
export function readCode(code: string): Node[] {
  const tokens = tokensOf(code);
  let at = 0;
  const next = (): string | undefined => tokens[at++];
  const until = (close: string, depth: number): Node[] => {
    const nodes: Node[] = [];
    for (let token = next(); token !== close; token = next()) {
      if (token === undefined) throw new SyntaxError(`Expected: ['${close}']`);
      if (token !== ',' || close !== ']') nodes.push(read(token, depth));
    }
    return nodes;
  };
  const fields = (depth: number): [string, Node][] => {
    const found: [string, Node][] = [];
    for (let token = next(); token !== '}'; token = next()) {
      if (token === ',') continue;
      const name = token === undefined ? undefined : textOf(token);
      if (name === undefined || next() !== ':') throw new SyntaxError("Expected: ['}']");
      found.push([name, read(next(), depth)]);
    }
    return found;
  };
  const read = (token: string | undefined, depth: number): Node => {
    if (depth > DEEPEST) throw new SyntaxError(`code of more than ${DEEPEST} levels`);
    if (token === '(') return { kind: 'call', parts: until(')', depth + 1) };
    if (token === '[') return { kind: 'list', items: until(']', depth + 1) };
    if (token === '{') return { kind: 'object', fields: fields(depth + 1) };
    return atom(token);
  };
  const nodes: Node[] = [];
  while (at < tokens.length) nodes.push(read(next(), 0));
  return nodes;
}

function tokensOf(code: string): string[] {
  const tokens: string[] = [];
  for (let at = afterBlank(code, 0); at < code.length; at = afterBlank(code, at)) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(code)?.[0];
    if (token === undefined) throw new SyntaxError(`Unexpected input at character ${at}`);
    tokens.push(token);
    at += token.length;
  }
  return tokens;
}

function afterBlank(code: string, at: number): number {
  BLANK.lastIndex = at;
  return at + (BLANK.exec(code)?.[0].length ?? 0);
}

function atom(token = ''): Node {
  const text = textOf(token);
  if (text !== undefined) return { kind: 'value', value: text };
  if (/^-?\d+$/.test(token)) return { kind: 'value', value: BigInt(token) };
  const decimal = /^-?\d/.test(token) ? parseDecimal(token) : undefined;
  if (decimal) return { kind: 'value', value: { decimal } };
  if (token === 'true' || token === 'false') return { kind: 'value', value: token === 'true' };
  if (token === '' || /^[)\]},:]/.test(token))
    throw new SyntaxError(`Unexpected ${token || 'end of the code'}`);
  return { kind: 'name', name: token };
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Of a string or a symbol. */
function textOf(token: string): string | undefined {
  if (token[0] === "'") return token.slice(1);
  if (token[0] !== '"') return undefined;
  return token.slice(1, -1).replace(/\\([\s\S])/g, (_, one: string) => ESCAPED[one] ?? one);
}
