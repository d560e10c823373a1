/** The way of lists and orders to the ledger: by a bridge that runs here, else in this process. What is asked, and of whom, is one. */

import { queueConnectionFrom } from '../../assembly/books/book-settings.js';
import { setAsideOf } from '../../assembly/books/set-aside.js';
import type { Asked, CommandIo } from '../../cli/line/command.js';
import { refuseTwoForms } from '../../cli/screen/form.js';
import { type Log, SILENT } from '../../core/names/log.js';
import type { Ledger } from '../../ledger/ledger.js';
import { ledgerOrders } from '../../ledger/watch/orders.js';
import { openBooksWatch } from '../../ledger/watch/watch.js';
import { ledgerApi } from '../../web/api/ledger-api.js';
import { controlFault } from '../../web/control-socket.js';
import { type AskedBridge, askBridge, askBy, isOutOfReach, type OnBridge } from '../ctl/bridge.js';
import { controlSocketOf } from '../ctl/socket.js';
import { onBooks } from './access.js';
import type { BooksSettings } from './settings.js';
import { whoRuns } from './who.js';

/** Who waits at a terminal has more patience than a page. */
const PATIENCE_MS = 600_000;

/** A command with whom it asks. */
interface OnLedger<S extends BooksSettings> extends OnBridge<S> {
  /** It is a bridge that runs, and not the ledger itself. */
  readonly isOfBridge: boolean;
}

/** Resolves with the exit code. What a flag names is asked itself: the bridge here may have another ledger or queue. */
export async function onLedger<S extends BooksSettings>(
  asked: Asked<S>,
  act: (on: OnLedger<S>) => Promise<number>,
): Promise<number> {
  const { words, io } = asked;
  const { config, sources } = await asked.load();
  refuseTwoForms(config);
  const { dataDir } = config;
  // Of the queue as well, where a command asks it.
  const isNamed = Object.entries<string>(sources).some(
    ([key, source]) => /^(ledger|queue)\./.test(key) && source.startsWith('flag '),
  );
  if (!isNamed && controlFault(await controlSocketOf(dataDir)) === undefined)
    try {
      return await askBridge(dataDir, (ask) => act({ ask, config, words, io, isOfBridge: true }));
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
    }
  return onBooks(asked, ({ ledger }) =>
    askingHere(ledger, config, io, (ask) => act({ ask, config, words, io, isOfBridge: false })),
  );
}

async function askingHere(
  { pool }: Ledger,
  config: object,
  { stderr }: CommandIo,
  act: (ask: AskedBridge['ask']) => Promise<number>,
): Promise<number> {
  const connectionString = pool.options.connectionString ?? '';
  const books = openBooksWatch({ connectionString, ready: Promise.resolve(), patienceMs: PATIENCE_MS });
  const error: Log['error'] = (fields, says) =>
    void stderr.write(`stratum-bridge: ${says}: ${JSON.stringify(fields)}\n`);
  const orders = ledgerOrders(pool);
  const redis = { 'queue.redisUrl': '', ...config };
  const log = { ...SILENT, error };
  const setAside = setAsideOf(pool, queueConnectionFrom(redis, connectionString), log);
  const api = ledgerApi({ books, orders, setAside, by: whoRuns(), log });
  try {
    return await act(
      askBy(async ({ method, path: url, body }) => {
        const answer = await api.inject({ method, url, ...(body ? { payload: body } : {}) });
        return { status: answer.statusCode, json: answer.json() };
      }),
    );
  } finally {
    await api.close();
    await books.close();
  }
}
