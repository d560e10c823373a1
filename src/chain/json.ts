/** JSON whose numbers arrive exactly: a double holds some 15 digits, and nodes write integers of 64 bits and amounts of coins. */

/** With what stands before it. Only from 16 digits on a number may not fit into a double. */
const LONG_NUMBER = /(?:^|[:,[\s])-?\d[\d.]{15,}(?:[eE][+-]?\d+)?/g;
/** As JSON has them. */
const NUMBER = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** Behind a number, and not in a name. */
const END = /\s*(?:[,}\]]|$)/y;

/**
 * Like `JSON.parse`, but a number that a double does not hold becomes a text of its digits, as the interface writes
 * nonces. Throws SyntaxError for what is no JSON. (`JSON.parse` gives its reviver the source text only from Node.js 22 on,
 * and takes several times as long with any.)
 */
export function parseExactJson(text: string): unknown {
  const parts: string[] = [];
  let [copied, outside] = [0, 0];
  for (const { 0: match, index } of text.matchAll(LONG_NUMBER)) {
    const digits = match.replace(/^[:,[\s]/, '');
    const end = index + match.length;
    if (isHeld(digits) || !isEnd(text, end)) continue;
    if (outside <= end) outside = outsideOfStrings(text, outside, end);
    if (outside > end) continue;
    parts.push(text.slice(copied, end - digits.length), `"${digits}"`);
    copied = end;
  }
  return JSON.parse(parts.length === 0 ? text : parts.join('') + text.slice(copied));
}

/** Whether a double holds it; what is no number is left to `JSON.parse`. */
function isHeld(digits: string): boolean {
  const [isNumber, fraction, power] = NUMBER.exec(digits) ?? [];
  if (isNumber === undefined) return true;
  if (fraction === undefined && power === undefined) return Number.isSafeInteger(Number(digits));
  return exactly(digits) === exactly(String(Number(digits)));
}

/** The same text for the same number: its digits without zeros at either end, and their power of ten. */
function exactly(number: string): string {
  const [, whole = '', fraction = '', power = '0'] = /^(-?\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^(-?)0+/, '$1');
  const significant = digits.replace(/0+$/, '');
  return `${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
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
