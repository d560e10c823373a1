/** `ledger payout export` and `import`: transactions that are signed elsewhere. */

import { open, readFile, stat } from 'node:fs/promises';
import { type Asked, CommandError, FAILED, OK } from '../../../cli/line/command.js';
import {
  type BroughtBack,
  giveAway,
  takeBack,
  type Unsigned,
} from '../../../ledger/transactions/elsewhere.js';
import { exportText, type Import, LONGEST_IMPORT, readImport } from '../../../payouts/signer/offline.js';
import { onBooks } from '../access.js';
import type { LedgerSettings } from '../settings.js';
import { whoRuns } from '../who.js';

export async function exportUnsigned(asked: Asked<LedgerSettings>): Promise<number> {
  const [path = ''] = asked.words;
  return onBooks(asked, async ({ ledger: { pool }, io: { stdout, stderr } }) => {
    // Before anything is given away that nobody would get.
    await refuseThere(path);
    const { transactions, late } = await giveAway(pool, whoRuns());
    if (late > 0)
      stderr.write(
        `stratum-bridge: ${late} are past their time and left out: the bridge makes others in their place. payouts.ttl gives who signs more of it\n`,
      );
    if (transactions.length === 0) {
      stderr.write('stratum-bridge: nothing waits for signatures, and nothing was written\n');
      return OK;
    }
    await writeNew(path, exportText(transactions, Date.now()));
    const untilMs = 1000 * Math.min(...transactions.map(({ untilS }) => untilS));
    const signed = transactions.filter(({ signatures }) => signatures.length > 0).length;
    const about = { file: path, transactions: transactions.length, signedInPart: signed };
    const until = new Date(untilMs).toISOString();
    stdout.write(`${JSON.stringify({ ...about, importUntil: until }, null, 2)}\n`);
    return OK;
  });
}

const isThere = (path: string): CommandError =>
  new CommandError(`${path} is there already, and may hold signatures: name another file`);

async function refuseThere(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found) throw isThere(path);
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') throw isThere(path);
    throw new CommandError(`${path} cannot be written: ${cause.message}`, { cause });
  });
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function importSigned(asked: Asked<LedgerSettings>): Promise<number> {
  const [path = ''] = asked.words;
  const text = await textIn(path);
  return onBooks(asked, async ({ ledger: { pool }, io: { stdout, stderr } }) => {
    let found: Import = { is: 'refused', faults: [] };
    const isTaken = await takeBack(pool, whoRuns(), (waiting) => {
      found = readImport(text, { waiting, chainTimeS: timesOf(waiting) });
      return found.is === 'taken' ? found.transactions.map(broughtBack) : undefined;
    });
    const read = found as Import;
    if (!isTaken || read.is === 'refused') {
      const faults = read.is === 'refused' ? read.faults : [];
      for (const fault of [`nothing of ${path} is taken:`, ...faults])
        stderr.write(`stratum-bridge: ${fault}\n`);
      return FAILED;
    }
    const missing = new Set(
      read.transactions.flatMap(({ signed }) => (signed.is === 'partial' ? signed.missing : [])),
    );
    const complete = read.transactions.filter(({ signed }) => signed.is === 'complete').length;
    const about = { complete, signedInPart: read.transactions.length - complete, missing: [...missing] };
    stdout.write(`${JSON.stringify(about, null, 2)}\n`);
    if (read.transactions.length === 0)
      stderr.write('stratum-bridge: the file holds no signature, and nothing was changed\n');
    return OK;
  });
}

async function textIn(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    // A character of UTF-16 has at least one byte in a file.
    if (size > 3 * LONGEST_IMPORT) throw new CommandError(`${path} has ${size} bytes: that is none of ours`);
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** As the payer saw the chains last. */
function timesOf(waiting: readonly Unsigned[]): (chainId: number) => number {
  const times = new Map(waiting.map(({ chainId, headS }) => [chainId, headS ?? 0]));
  return (chainId) => times.get(chainId) ?? 0;
}

function broughtBack({
  requestKey,
  signed,
  signatures,
}: (Import & { is: 'taken' })['transactions'][number]): BroughtBack {
  const sigs = signed.is === 'complete' ? signed.envelope.sigs.map(({ sig }) => sig) : undefined;
  return { requestKey, sigs, signatures };
}
