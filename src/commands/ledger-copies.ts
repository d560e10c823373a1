/** `ledger dump FILE` and `ledger restore FILE`. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { dumpBooks } from '../ledger/dump.js';
import type { Ledger } from '../ledger/ledger.js';
import { restoreBooks } from '../ledger/restore.js';
import { CommandError } from './command.js';
import { writeWhole } from './whole-file.js';

export async function dumpTo(path: string | undefined, ledger: Ledger): Promise<object> {
  const file = needed(path, 'dump');
  await writeWhole(file, withEnds(dumpBooks(ledger.pool)));
  return { file };
}

export async function restoreFrom(path: string | undefined, ledger: Ledger): Promise<object> {
  const file = needed(path, 'restore');
  const input = createReadStream(file);
  const failed = new Promise<never>((_, fail) => input.once('error', fail));
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  await Promise.race([restoreBooks(ledger.pool, lines), failed]);
  return { file };
}

function needed(path: string | undefined, what: string): string {
  if (path === undefined)
    throw new CommandError(`ledger ${what}: name the file, as in \`ledger ${what} books.dump\``);
  return path;
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
