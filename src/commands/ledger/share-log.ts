/** Of `ledger verify`: what the share log of a data directory has against what the books have of it. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bridgeFoldersIn } from '../../files/bridge-folders.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { Proof } from '../../ledger/proof/proof.js';
import { type Accounted, accountedOf } from '../../ledger/recording/logs.js';
import { type LoggedStart, lookAtLog, startsIn } from '../../queue/log/look.js';

/** Recorders book side by side: what one of them has in hand comes within seconds. */
const UNDER_WAY = { times: 10, everyMs: 1000 };
/** Gaps that are asked for. */
const GAPS = 1_000;
/** Entries that are named. */
const NAMED = 20;

type Books = Pick<Ledger, 'pool' | 'missingEntries'>;

/** Of each bridge that has a share log. It is only read, and its bridge may run. */
export async function proveShareLogs(dataDir: string, books: Books): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for (const folder of bridgeFoldersIn(dataDir)) {
    const proof = await proveShareLog(join(folder, 'shares'), books);
    if (proof) proofs.push(proof);
  }
  return proofs;
}

async function proveShareLog(folder: string, books: Books): Promise<Proof | undefined> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const says = 'what was shipped of the share log here is booked, all of it and nothing else';
  const [broken, noted]: [string[], string[]] = [[], []];
  try {
    // The books first: what they have by then is in the log.
    const known = await accountedOf(books.pool, await startsIn(folder));
    for (const start of await lookAtLog(folder))
      await compare(start, known.get(start.id), books, { broken, noted });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    noted.push(`the share log in ${folder} is not read: this user may not`);
  }
  return { name: 'share log', says, broken, noted };
}

async function compare(
  { id: log, cuts, uncut }: LoggedStart,
  booked: Accounted | undefined,
  books: Books,
  { broken, noted }: { readonly broken: string[]; readonly noted: string[] },
): Promise<void> {
  const { number = 0, isWhole = false, shares = 0, work = 0n } = booked ?? {};
  const cut = cuts.get(number);
  if (cut && isWhole && (cut.shares !== shares || cut.work !== work))
    broken.push(
      `up to entry ${number} of log ${log} the share log has ${cut.shares} shares of work ${cut.work}, and the books ${shares} of ${work}`,
    );
  const shipped = [...cuts.keys()].filter((one) => one < number);
  const missing = await stillMissing(log, shipped, books);
  if (missing.length > 0)
    broken.push(
      `entries ${missing.slice(0, NAMED).join(', ')} of log ${log}, of ${sharesOf(cuts, missing)} shares, were shipped and are not booked: ` +
        '`ledger entry list` shows those that cannot be read',
    );
  const waiting = [...cuts.keys()].filter((one) => one > number);
  const waits = sharesOf(cuts, waiting) + uncut;
  if (waits > 0) noted.push(`${waits} shares of log ${log} are not booked yet`);
}

async function stillMissing(log: string, numbers: readonly number[], books: Books): Promise<number[]> {
  if (numbers.length === 0) return [];
  const ask = async (): Promise<number[]> => {
    const gaps = await books.missingEntries(log, Math.max(...numbers), GAPS);
    return numbers.filter((one) => gaps.some(({ first, last }) => first <= one && one <= last));
  };
  let missing = await ask();
  for (let i = 0; missing.length > 0 && i < UNDER_WAY.times; i++) {
    await pause(UNDER_WAY.everyMs);
    missing = await ask();
  }
  return missing;
}

function sharesOf(cuts: LoggedStart['cuts'], numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + (cuts.get(one)?.ownShares ?? 0), 0);
}
