/** `ledger dump FILE` and `ledger restore FILE`. */
import { open } from 'node:fs/promises';
import { dumpBooks } from '../ledger/dump.js';
import type { Ledger } from '../ledger/ledger.js';
import { restoreBooks } from '../ledger/restore.js';
import { writeWhole } from './whole-file.js';

export async function dumpTo(file: string, ledger: Ledger): Promise<object> {
  await writeWhole(file, withEnds(dumpBooks(ledger.pool)));
  return { file };
}

export async function restoreFrom(file: string, ledger: Ledger): Promise<object> {
  await restoreBooks(ledger.pool, linesOf(file));
  return { file };
}

/** Reading begins with the first line that is asked for: lines that come before would be lost. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const handle = await open(file);
  try {
    yield* handle.readLines();
  } finally {
    await handle.close();
  }
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
