/** Amounts of the coin as people read them. */
import { grouped } from './numbers.js';

/** `12.5`: without the noughts behind it. @param text as the API has it, `12.500000000000`. */
export function amount(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

const SHOWN_PLACES = 4;

/** `1 059.3184`: what is left out behind it is never rounded up. A small one has all its digits. */
export function shortAmount(text: string): string {
  const short = amount(text.replace(new RegExp(`(\\.\\d{${SHOWN_PLACES}})\\d+$`), '$1'));
  const [whole = '', ...decimals] = (Number(short) === 0 ? amount(text) : short).split('.');
  return [grouped(whole), ...decimals].join('.');
}
