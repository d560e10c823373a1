/** Ledger, number, queue and timeline, in the order in which each needs the one before. */

import type { Clock } from '../../bridge/ports.js';
import type { BooksWatch } from '../../bridge/watch/books-watch.js';
import { readVersion } from '../../config/version.js';
import type { Ledger } from '../../ledger/ledger.js';
import { BridgeViews } from '../../ledger/watch/bridge-views.js';
import { openBooksWatch } from '../../ledger/watch/watch.js';
import type { QueueConnection } from '../../queue/bullmq/connection.js';
import type { ShareQueue } from '../../queue/share-queue.js';
import type { QueueStats } from '../../web/state/summary.js';
import { poolKeyIn } from '../secret-files.js';
import type { Site } from '../site.js';
import { openDelays } from '../watch/delay-keeper.js';
import { type OpenTimeline, openTimeline } from '../watch/timeline.js';
import { queueConnectionFrom } from './book-settings.js';
import { startBooksClock } from './books-clock.js';
import { type Instance, startInstance } from './instance.js';
import { type KeptLedger, keepLedger, openDatabase, openLedgerAt } from './ledger.js';
import { openQueue, queueStatsOf } from './queue.js';

export interface Books extends KeptLedger {
  readonly ledger: Ledger;
  /** What is written into the books is of this time. */
  readonly clock: Clock;
  /** For who looks. */
  readonly watch: BooksWatch;
  readonly instance: Instance;
  /** What the others on this ledger have, and what this one shows them. */
  readonly bridges: BridgeViews;
  readonly shares: ShareQueue;
  readonly queueConnection: QueueConnection;
  readonly queueStats: () => Promise<QueueStats>;
  readonly timeline: OpenTimeline;
}

/** Of a stop at least, for one question to the ledger. */
const ASK_MS = 100;

/** @param isSet whether somebody has set that key: it is no default. */
export async function openBooks(site: Site, isSet: (key: string) => boolean): Promise<Books> {
  const { config, folder, log, open } = site;
  const databaseUrl = await openDatabase(site);
  const ledger = await openLedgerAt(databaseUrl, site);
  const watch = openBooksWatch({ connectionString: databaseUrl, ready: ledger.ready });
  open.add('books watch', () => watch.close());
  const instance = await startInstance({ wanted: config.instance, folder, ledger, log });
  open.add('instance number', () => instance.close(), ASK_MS);
  const bridges = new BridgeViews({ ledger, number: () => instance.number, version: readVersion(), log });
  open.add('views of bridges', () => bridges.close());
  const clock = await startBooksClock(ledger, site);
  const queueConnection = queueConnectionFrom(config, databaseUrl);
  const shares = await openQueue(site, { ledger, connection: queueConnection, clock });
  const poolKey = await poolKeyIn(config.dataDir, log);
  const kept = keepLedger(ledger, site, { isSet, announced: shares.announced, poolKey });
  const timeline = await openTimeline(site, { ledger, instance, shares });
  openDelays(site, ledger);
  return {
    ledger,
    clock,
    queueConnection,
    ...kept,
    watch,
    instance,
    bridges,
    shares,
    queueStats: queueStatsOf(shares, ledger),
    timeline,
  };
}
