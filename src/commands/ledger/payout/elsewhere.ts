/** `ledger payout export` and `import`: transactions that are signed elsewhere. */
import { open, readFile, stat } from 'node:fs/promises';
import { type Asked, CommandError, FAILED, OK } from '../../../cli/line/command.js';
import { giveAway, takeBack, type Unsigned } from '../../../ledger/payer/elsewhere.js';
import { exportText, type Import, LONGEST_IMPORT, readImport } from '../../../payouts/signer/offline.js';
import { onBooks } from '../access.js';
import type { LedgerSettings } from '../settings.js';
import { whoRuns } from '../who.js';

export async function exportUnsigned(asked: Asked<LedgerSettings>): Promise<number> {
  const [path = ''] = asked.words;
  return onBooks(asked, async ({ ledger: { pool }, io: { stdout, stderr } }) => {
    // Before anything is given away that nobody would get.
    if (await stat(path).catch(() => undefined)) throw isThere(path);
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
    const untilMs = Math.min(...transactions.map((one) => one.untilMs));
    const signedInPart = transactions.filter(({ signatures }) => signatures.length > 0).length;
    const importUntil = new Date(untilMs).toISOString();
    const about = { file: path, transactions: transactions.length, signedInPart, importUntil };
    stdout.write(`${JSON.stringify(about, null, 2)}\n`);
    return OK;
  });
}

const isThere = (path: string): CommandError =>
  new CommandError(`${path} is there already, and may hold signatures: name another file`);

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
    let read: Import = { is: 'refused', faults: [] };
    await takeBack(pool, whoRuns(), (waiting) => {
      read = readImport(text, { waiting, chainTimeS: timesOf(waiting) });
      return read.is === 'taken'
        ? read.transactions.map(({ requestKey, signed }) => ({
            ...{ requestKey, signatures: signed.signatures, isSigned: signed.is === 'signed' },
          }))
        : [];
    });
    const found = read as Import;
    if (found.is === 'refused') {
      for (const fault of [`nothing of ${path} is taken:`, ...found.faults])
        stderr.write(`stratum-bridge: ${fault}\n`);
      return FAILED;
    }
    const { transactions } = found;
    const missing = transactions.flatMap(({ signed }) => (signed.is === 'partial' ? signed.missing : []));
    const complete = transactions.filter(({ signed }) => signed.is === 'signed').length;
    const about = { complete, signedInPart: transactions.length - complete, missing: [...new Set(missing)] };
    stdout.write(`${JSON.stringify(about, null, 2)}\n`);
    if (transactions.length === 0)
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

/** As far as blocks were taken over. */
function timesOf(waiting: readonly Unsigned[]): (chainId: number) => number {
  const times = new Map(waiting.map(({ chainId, cursorMs }) => [chainId, Math.floor(cursorMs / 1000)]));
  return (chainId) => times.get(chainId) ?? 0;
}
