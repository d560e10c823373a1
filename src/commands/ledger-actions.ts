/** What `ledger` can be asked, by its first word. The words are checked before any database is looked for. */
import { readableFile } from '../config/file.js';
import { ConfigError } from '../config/load.js';
import { listBatches } from '../ledger/payouts.js';
import { listAccounts, listBlocks, operatorReport } from '../ledger/reports.js';
import { verifyBooks } from '../ledger/verify.js';
import { FAILED, OK } from './command.js';
import type { Action, Asked } from './ledger-asked.js';
import { dumpTo, restoreFrom } from './ledger-copies.js';
import { lookAtEvery } from './ledger-look.js';
import { markPayout, preparedPayout, showPayout } from './ledger-payouts.js';
import { print } from './ledger-print.js';
import { queueAction } from './ledger-queue.js';

export interface Question {
  readonly action: Action;
  /** Books may be made where there are none. */
  readonly makesBooks: boolean;
}

/** Reads the words after the first. Throws {@link ConfigError}. */
type Reader = (words: readonly string[]) => Action;

const READERS: Readonly<Record<string, Reader>> = {
  accounts: alone(async ({ ledger, ...asked }) =>
    print(await listAccounts(ledger.pool, asked.config.limit), asked),
  ),
  blocks: alone(async ({ ledger, ...asked }) => {
    if (asked.config.lookAgain) await lookAtEvery(asked.config, ledger.pool, asked.io);
    const blocks = await listBlocks(ledger.pool, asked.config.limit);
    return print(
      blocks.map(({ block, ...rest }) => ({ ...rest, ...block })),
      asked,
    );
  }),
  operator: alone(async ({ ledger, ...asked }) => print([await operatorReport(ledger.pool)], asked)),
  batches: alone(async ({ ledger, ...asked }) => {
    const batches = await listBatches(ledger.pool, asked.config.limit);
    return print(
      batches.map(({ lines, ...batch }) => ({ ...batch, accounts: lines.length })),
      asked,
    );
  }),
  verify: alone(verify),
  dump([file, ...more]) {
    const path = named(file, 'dump');
    noMore(more);
    return async ({ ledger, ...asked }) => print([await dumpTo(path, ledger)], asked);
  },
  restore([file, ...more]) {
    const path = named(file, 'restore');
    noMore(more);
    const fault = readableFile(path);
    if (fault) throw new ConfigError([`ledger restore: ${fault}`]);
    return async ({ ledger, ...asked }) => print([await restoreFrom(path, ledger)], asked);
  },
  queue: queueAction,
  payout([verb, ...words]) {
    if (verb === 'prepare') {
      noMore(words);
      return preparedPayout;
    }
    if (verb === 'show') {
      const [id, ...more] = words;
      noMore(more);
      return showPayout(id);
    }
    if (verb === 'mark') {
      const [id, outcome, ...more] = words;
      noMore(more);
      return markPayout(id, outcome);
    }
    throw new ConfigError(['ledger payout: prepare, show ID, or mark ID sent|failed|unknown']);
  },
};

const MAKES_BOOKS = ['restore'];

/** Throws {@link ConfigError} for words that ask nothing. */
export function readQuestion([name = '', ...words]: readonly string[]): Question {
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  const known = Object.keys(READERS).join(', ');
  if (!reader) throw new ConfigError([`ledger ${name || '(nothing)'}: it is one of ${known}`]);
  return { action: reader(words), makesBooks: MAKES_BOOKS.includes(name) };
}

/** For what takes no words. */
function alone(action: Action): Reader {
  return (words) => {
    noMore(words);
    return action;
  };
}

function noMore([word]: readonly string[]): void {
  if (word !== undefined) throw new ConfigError([`${JSON.stringify(word)} is one word too many`]);
}

function named(file: string | undefined, what: string): string {
  if (file !== undefined) return file;
  throw new ConfigError([`ledger ${what}: name the file, as in \`ledger ${what} books.dump\``]);
}

async function verify({ ledger, ...asked }: Asked): Promise<number> {
  const proofs = await verifyBooks(ledger.pool);
  print(
    proofs.map(({ name, says, broken, noted }) => ({
      name,
      holds: broken.length === 0,
      says,
      broken: broken.join('; '),
      noted: noted.join('; '),
    })),
    asked,
  );
  return proofs.every(({ broken }) => broken.length === 0) ? OK : FAILED;
}
