/** Blocks as a table for spreadsheets. */
import type { Ask } from './ask.js';

/** As many as the API gives at a time. */
const MOST_ROWS = 1_000;

/** All that are asked for, page after page. @param query `state`, `chain`, `before`. */
export async function askForBlocks(ask: Ask, query: URLSearchParams, signal: AbortSignal): Promise<string> {
  const parts: string[] = [];
  const page = new URLSearchParams([...query, ['limit', String(MOST_ROWS)]]);
  for (;;) {
    const response = await ask.open(`/api/v1/blocks?${page}`, signal, 'text/csv');
    const text = await response.text();
    const [head = '', ...rows] = text.trimEnd().split('\r\n');
    if (parts.length === 0) parts.push(head);
    parts.push(...rows);
    if (rows.length < MOST_ROWS) return `${parts.join('\r\n')}\r\n`;
    // The first column is the id.
    page.set('before', rows.at(-1)?.split(',')[0] ?? '');
  }
}
