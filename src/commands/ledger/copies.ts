/** `ledger dump FILE` and `ledger restore FILE`. */
import { open } from 'node:fs/promises';
import { writeWhole } from '../../assembly/books/whole-file.js';
import type { Asked } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { readableFile } from '../../config/layers/file.js';
import type { LedgerSettings } from '../../config/settings/ledger-settings.js';
import { dumpBooks } from '../../ledger/copies/dump.js';
import { restoreBooks } from '../../ledger/copies/restore.js';
import { onAnyBooks, onBooks } from './access.js';
import { FILE } from './columns.js';

export async function dump(asked: Asked<LedgerSettings>): Promise<number> {
  const [file = ''] = asked.words;
  return onBooks(asked, async ({ ledger, ...to }) => {
    await writeWhole(file, withEnds(dumpBooks(ledger.pool)));
    return print([{ file }], FILE, to);
  });
}

export async function restore(asked: Asked<LedgerSettings>): Promise<number> {
  const [file = ''] = asked.words;
  const fault = readableFile(file);
  if (fault) throw new ConfigError([`ledger restore: ${fault}`]);
  return onAnyBooks(asked, async ({ ledger, ...to }) => {
    await restoreBooks(ledger.pool, linesOf(file));
    return print([{ file }], FILE, to);
  });
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
