/** JSON whose integers arrive exactly: a double holds them up to 2^53 only, and nodes write 64-bit ones. */

/** With what stands before it. Only from 16 digits on an integer may not fit into a double. */
const LONG_INTEGER = /(?:^|[:,[\s])-?[1-9]\d{15,}/g;
/** Behind an integer, and not behind a fraction or in a name. */
const END = /\s*(?:[,}\]]|$)/y;

/**
 * Like `JSON.parse`, but an integer that a double does not hold becomes a text of its digits, as the interface writes
 * nonces. Throws SyntaxError for what is no JSON. (`JSON.parse` gives its reviver the source text only from Node.js 22 on,
 * and takes several times as long with any.)
 */
export function parseExactJson(text: string): unknown {
  const parts: string[] = [];
  let [copied, outside] = [0, 0];
  for (const { 0: match, index } of text.matchAll(LONG_INTEGER)) {
    const digits = match.replace(/^[:,[\s]/, '');
    const end = index + match.length;
    if (Number.isSafeInteger(Number(digits)) || !isEnd(text, end)) continue;
    if (outside <= end) outside = outsideOfStrings(text, outside, end);
    if (outside > end) continue;
    parts.push(text.slice(copied, end - digits.length), `"${digits}"`);
    copied = end;
  }
  return JSON.parse(parts.length === 0 ? text : parts.join('') + text.slice(copied));
}

function isEnd(text: string, at: number): boolean {
  END.lastIndex = at;
  return END.test(text);
}

/** The first place from `index` on that is in no string. @param from one before it. */
function outsideOfStrings(text: string, from: number, index: number): number {
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0 || quote >= index) return index;
    at = afterString(text, quote);
    if (at > index) return at;
  }
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
