/** `ledger dump FILE` and `ledger restore FILE`. */

import { open, readFile } from 'node:fs/promises';
import { type Asked, FAILED, OK } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { readableFile } from '../../config/layers/file.js';
import { writeDurably } from '../../files/write-durably.js';
import type { PaidSince } from '../../ledger/copies/after-restore.js';
import { dumpBooks } from '../../ledger/copies/dump.js';
import { readPaidFile } from '../../ledger/copies/paid-files.js';
import { restoreBooks } from '../../ledger/copies/restore.js';
import { verifyBooks } from '../../ledger/proof/verify.js';
import type { Columns } from '../../operations/entry/columns.js';
import type { ConfigOf } from '../../values/setting.js';
import { onAnyBooks, onBooks } from './access.js';
import type { LedgerSettings, RestoreSettings } from './settings.js';

const FILE: Columns<{ readonly file: string }> = { file: { kind: 'text', importance: 1 } };

const RESTORED: Columns<{ readonly file: string; readonly proved: boolean }> = {
  file: { kind: 'text', importance: 1 },
  proved: { kind: 'text', importance: 1, heading: 'balances' },
};

export async function dump(asked: Asked<LedgerSettings>): Promise<number> {
  const [file = ''] = asked.words;
  return onBooks(asked, async ({ ledger, ...to }) => {
    await writeDurably(file, withEnds(dumpBooks(ledger.pool)));
    return print([{ file }], FILE, to);
  });
}

export async function restore(asked: Asked<RestoreSettings>): Promise<number> {
  const [file = ''] = asked.words;
  const { config } = await asked.load();
  const faults = [file, ...config.afterPayments].flatMap((each) => readableFile(each) ?? []);
  if (config.noneWereSent && config.afterPayments.length > 0)
    faults.push('--none-were-sent and --after-payments say two things: choose one');
  if (faults.length > 0) throw new ConfigError(faults.map((fault) => `ledger restore: ${fault}`));
  return onAnyBooks(asked, async ({ ledger, ...to }) => {
    const told = await restoreBooks(ledger.pool, linesOf(file), await paidSince(config));
    for (const words of told) to.io.stderr.write(`stratum-bridge: ${words}\n`);
    const broken = (await verifyBooks(ledger.pool)).filter((proof) => proof.broken.length > 0);
    for (const { says, broken: rows } of broken)
      to.io.stderr.write(
        `stratum-bridge: these books do not balance: that ${says} does not hold: ${rows.join('; ')}\n`,
      );
    print([{ file, proved: broken.length === 0 }], RESTORED, to);
    return broken.length === 0 ? OK : FAILED;
  });
}

async function paidSince(config: ConfigOf<RestoreSettings>): Promise<PaidSince | undefined> {
  if (config.noneWereSent) return 'none';
  if (config.afterPayments.length === 0) return undefined;
  const read = async (path: string) => readPaidFile(path, await readFile(path, 'utf8'));
  return (await Promise.all(config.afterPayments.map(read))).flat();
}

/** Reading begins with the first line that is asked for: lines that come before would be lost. */
export async function* linesOf(file: string): AsyncGenerator<string> {
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
