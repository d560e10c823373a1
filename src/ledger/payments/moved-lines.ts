/** The amount of one payment on its way from one book of its account to another. */
import { parseAmount } from '../../core/amount.js';
import type { Book, Line } from '../settlement/posting.js';

export function movedLines(accountId: number, text: string, from: Book, to: Book): Line[] {
  const amount = parseAmount(text) ?? 0n;
  if (from === to) return [];
  return [
    { accountId, book: from, amount: -amount },
    { accountId, book: to, amount },
  ];
}
