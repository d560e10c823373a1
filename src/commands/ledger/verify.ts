/** `ledger verify`: whether the books balance. */

import { type Asked, FAILED, OK } from '../../cli/line/command.js';
import { type Printing, print } from '../../cli/screen/print.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { readableFile } from '../../config/layers/file.js';
import { proveClosedDays } from '../../ledger/proof/closed-days.js';
import type { Proof } from '../../ledger/proof/proof.js';
import { verifyBooks } from '../../ledger/proof/verify.js';
import type { Columns } from '../../operations/entry/columns.js';
import { onBooks } from './access.js';
import { linesOf } from './copies.js';
import type { VerifySettings } from './settings.js';
import { proveShareLogs } from './share-log.js';

interface ProofRow {
  readonly name: string;
  readonly passes: boolean;
  readonly says: string;
  readonly broken: string;
  readonly noted: string;
}

export const PROOFS: Columns<ProofRow> = {
  name: { kind: 'text', importance: 1 },
  passes: { kind: 'text', importance: 1, of: ({ passes }) => (passes ? 'yes' : 'no') },
  broken: { kind: 'text', importance: 2 },
  noted: { kind: 'text', importance: 3 },
  says: { kind: 'text', importance: 4 },
};

function proofRow({ name, says, broken, noted }: Proof): ProofRow {
  return { name, passes: broken.length === 0, says, broken: broken.join('; '), noted: noted.join('; ') };
}

export async function verify(asked: Asked<VerifySettings>): Promise<number> {
  const [file] = asked.words;
  const { all } = (await asked.load()).config;
  if (all !== (file !== undefined))
    throw new ConfigError([
      'ledger verify: --all and a dump go together: `ledger verify --all october.dump`',
    ]);
  const fault = file === undefined ? undefined : readableFile(file);
  if (fault !== undefined) throw new ConfigError([`ledger verify: ${fault}`]);
  return onBooks(asked, async ({ ledger, ...to }) => {
    // What a share log of this machine lacks says nothing against the books.
    const shareLogs = await proveShareLogs(to.config.dataDir, ledger);
    const dump = file === undefined ? [] : [await proveClosedDays(ledger.pool, linesOf(file))];
    const proofs = [...(await verifyBooks(ledger.pool)), ...dump, ...shareLogs];
    show(proofs.map(proofRow), to);
    return proofs.every(({ broken }) => broken.length === 0) ? OK : FAILED;
  });
}

/** People read what is wrong or set aside, and how many are right; all of them are in the other forms. */
function show(rows: readonly ProofRow[], to: Printing): void {
  const { config, io } = to;
  if (config.csv || config.json || config.wide || !io.stdout.isTTY) {
    print(rows, PROOFS, to);
    return;
  }
  const told = rows.filter(({ passes, noted }) => !passes || noted !== '');
  if (told.length > 0) print(told, PROOFS, to);
  io.stdout.write(`${rows.filter(({ passes }) => passes).length} of ${rows.length} checks pass\n`);
}
