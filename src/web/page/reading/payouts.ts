/** All the lines of a payout. */
import type { PayoutLines } from './answers.js';
import type { Ask } from './ask.js';

/** As many as the API gives at a time. */
const SLICE = 1_000;

/** A part of them would pay some and not others. */
export async function allLines(ask: Ask, id: string, signal: AbortSignal): Promise<PayoutLines['lines']> {
  const lines: PayoutLines['lines'][number][] = [];
  for (;;) {
    const path = `/api/v1/payouts/${id}?offset=${lines.length}&limit=${SLICE}`;
    const part: PayoutLines = await ask.json(path, signal);
    lines.push(...part.lines);
    if (lines.length >= part.accounts || part.lines.length === 0) return lines;
  }
}
