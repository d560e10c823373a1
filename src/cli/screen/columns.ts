/** How the values of a table's columns are shown to people. */
import { printable } from '../../core/names/names.js';
import { type Kind, plainText } from '../../operations/entry/columns.js';
import { formatHashRate, formatScaled } from './units.js';

/** For people: the values of one column. Amounts keep all of their digits, hashes and rates three of them. */
export function shownTexts(values: readonly unknown[], kind: Kind): string[] {
  const texts = values.map(plainText);
  if (kind === 'amount') return alignedAmounts(texts);
  if (kind === 'hashes') return texts.map((text) => text && `${formatScaled(Number(text))}H`);
  if (kind === 'rate') return texts.map((text) => text && formatHashRate(Number(text)));
  if (kind === 'time') return texts.map(shownTime);
  // Names come from peers, and a terminal obeys escape sequences.
  return texts.map(printable);
}

/** `2026-11-22T11:05:46.000Z` without what every row has. */
function shownTime(text: string): string {
  return printable(text).replace(/^(\S{10})T(\S{8}).*Z$/, '$1 $2');
}

/** With as many decimals as the column needs. */
function alignedAmounts(texts: readonly string[]): string[] {
  const trimmed = texts.map((text) => printable(text.includes('.') ? text.replace(/\.?0+$/, '') : text));
  const decimals = trimmed.reduce((most, text) => Math.max(most, decimalsOf(text).length), 0);
  if (decimals === 0) return trimmed;
  return trimmed.map((text) => {
    const own = decimalsOf(text);
    return text && `${own ? text : `${text}.`}${'0'.repeat(decimals - own.length)}`;
  });
}

function decimalsOf(text: string): string {
  return text.split('.')[1] ?? '';
}
