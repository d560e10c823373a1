/** JSON whose integers arrive exactly: a double holds them up to 2^53 only, and nodes write 64-bit ones. */

const NUMBER = /-?\d[\d.eE+-]*/g;
/** Shorter integers always fit into a double. */
const LONG_INTEGER = /^-?\d{16,}$/;
/** Characters that no text needs: one that does not occur marks the integers on their way through the parser. */
const FIRST_MARK = 0xe000;
const LAST_MARK = 0xf8ff;

/**
 * Like `JSON.parse`, but an integer that a double does not hold becomes a bigint. Throws SyntaxError for what is no
 * JSON. (`JSON.parse` gives its reviver the source text only from Node.js 22 on.)
 */
export function parseExactJson(text: string): unknown {
  const mark = freeMark(text);
  const marked = markUnsafeIntegers(text, mark);
  if (marked === text) return JSON.parse(text);
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** Writes each integer beyond 2^53 outside of strings as a string that begins with `mark`. */
function markUnsafeIntegers(text: string, mark: string): string {
  const mend = (number: string): string => (isUnsafe(number) ? `"${mark}${number}"` : number);
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    parts.push(text.slice(at, end).replace(NUMBER, mend));
    at = quote < 0 ? text.length : afterString(text, quote);
    parts.push(text.slice(end, at));
  }
  return parts.join('');
}

function isUnsafe(number: string): boolean {
  return LONG_INTEGER.test(number) && !Number.isSafeInteger(Number(number));
}

/** Where the string that begins at `quote` is over. */
function afterString(text: string, quote: number): number {
  for (let at = quote + 1; ; at++) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
}

/** A character that occurs in the text neither as itself nor written `\uXXXX`. */
function freeMark(text: string): string {
  for (let code = FIRST_MARK; code <= LAST_MARK; code++) {
    const mark = String.fromCharCode(code);
    if (!text.includes(mark) && !new RegExp(`\\\\u${code.toString(16)}`, 'i').test(text)) return mark;
  }
  throw new SyntaxError('every character for private use occurs in this text');
}
