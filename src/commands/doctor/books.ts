/** What `doctor` looks at where the books are, or would be made. It makes and changes nothing. */

import { access, constants, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type pg from 'pg';
import { isOfFolder } from '../../assembly/failures.js';
import type { Finding } from '../../assembly/finding.js';
import { rootMessage } from '../../chain/errors.js';
import { told } from '../../config/layers/given.js';
import type { Loaded } from '../../config/layers/load.js';
import { BRIDGE_SETTINGS, type BridgeSettings } from '../../config/settings.js';
import { SILENT } from '../../core/names/log.js';
import { refuseForeign } from '../../files/folder-owner.js';
import { makeFolder } from '../../files/make-folder.js';
import { clockSkewMs, skewWords, TOLERATED_SKEW_MS } from '../../ledger/database/clocks.js';
import { connectionShortage } from '../../ledger/database/connections.js';
import { checkDatabaseDurability } from '../../ledger/database/durability.js';
import { LedgerError } from '../../ledger/database/errors.js';
import { mayMakeBooks, withDatabase } from '../../ledger/database/without-books.js';
import { findBinaries } from '../../ledger/embedded/binaries.js';
import {
  findEmbeddedPostgres,
  hasEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../ledger/embedded/embedded.js';
import { openLedger } from '../../ledger/ledger.js';
import { checkRedisPersistence } from '../../queue/bullmq/redis-persistence.js';

type AnyLoaded = Loaded<BridgeSettings>;
type Place = 'dataDir' | 'ledger.databaseUrl' | 'queue.redisUrl';

/** A database that was just made takes a tenth of it, and its log of changes may grow to twice as much. */
const ENOUGH_BYTES = 500_000_000;
const { W_OK, X_OK } = constants;

export async function checkDataDir(loaded: AnyLoaded): Promise<Finding> {
  const what = 'dataDir';
  const path = resolve(loaded.config.dataDir);
  try {
    const folder = await nearestThere(path);
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is no folder`);
    await access(folder, W_OK | X_OK);
    if (folder === path) refuseForeign(path);
    else await tryFolder(join(folder, relative(folder, path).split(sep)[0] ?? ''));
    const { bavail, bsize } = await statfs(folder);
    const megabytes = Math.floor((bavail * bsize) / 1e6);
    const can = folder === path ? 'can be written' : 'will be made at the first start';
    const detail = `${path} ${can}, ${megabytes} MB are free`;
    if (bavail * bsize >= ENOUGH_BYTES) return { state: 'good', what, detail };
    return { state: 'warning', what, detail, advice: 'free some space before shares fill the rest' };
  } catch (error) {
    const advice = 'give it to the user who runs the bridge, or choose another with --data-dir';
    const detail = saysOf(loaded, 'dataDir', `cannot be used: ${(error as Error).message}`);
    return { state: 'fault', what, detail, advice };
  }
}

/** Where none can be made, such as below /proc, nothing else tells so. */
async function tryFolder(path: string): Promise<void> {
  makeFolder(path);
  await rmdir(path);
}

/** The path itself, or the folder above in which the rest would be made. */
async function nearestThere(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const isThere = await stat(at).then(
      () => true,
      () => false,
    );
    if (isThere || at === dirname(at)) return at;
  }
}

/** Database and queue. */
export async function checkBooks(loaded: AnyLoaded): Promise<Finding[]> {
  const ledger = await checkLedger(loaded);
  const redisUrl = loaded.config['queue.redisUrl'];
  if (redisUrl) return [ledger, await checkRedis(loaded, redisUrl)];
  return [ledger, { ...ledger, what: 'queue', detail: `in the database of the ledger: ${ledger.detail}` }];
}

const WILL_BE_MADE = 'no books yet: they will be made at the first start';

async function checkLedger(loaded: AnyLoaded): Promise<Finding> {
  const { dataDir, 'ledger.databaseUrl': given } = loaded.config;
  const what = given ? 'database' : 'database (embedded)';
  try {
    const running = given || (await findEmbeddedPostgres(dataDir));
    if (running) return { what, ...(await checkDatabase(running)) };
    if (!(await hasEmbeddedPostgres(dataDir))) {
      await checkBinaries();
      return { state: 'good', what, detail: WILL_BE_MADE };
    }
    const embedded = await startEmbeddedPostgres({ dataDir, log: SILENT });
    const found = await checkDatabase(embedded.connectionString).finally(() => embedded.close());
    return { what, ...found };
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'other-functions')
      return { state: 'good', what, detail: error.message };
    if (!given) {
      const fault = isOfFolder(error)
        ? saysOf(loaded, 'dataDir', `cannot be used: ${rootMessage(error)}`)
        : rootMessage(error);
      return { state: 'fault', what, detail: fault };
    }
    const detail = saysOf(loaded, 'ledger.databaseUrl', `cannot be used: ${rootMessage(error)}`);
    // Of the books themselves the sentence says what to do.
    if (error instanceof LedgerError) return { state: 'fault', what, detail };
    return { state: 'fault', what, detail, advice: 'is this URL right, and does the database run?' };
  }
}

async function checkBinaries(): Promise<void> {
  const { initdb, postgres } = await findBinaries();
  await Promise.all([access(initdb, X_OK), access(postgres, X_OK)]);
}

type Found = Omit<Finding, 'what'>;

/** Books that stand stay as they are: a bridge of another version may be working on them. */
async function checkDatabase(connectionString: string): Promise<Found> {
  try {
    const ledger = await openLedger({ connectionString, log: SILENT, asTheyAre: true });
    try {
      const { shares } = await ledger.totals();
      const good: Found = { state: 'good', detail: `works, ${shares} shares in the ledger` };
      return (await warningOf(ledger.pool)) ?? good;
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerError && error.code === 'no-books')) throw error;
    return withDatabase(connectionString, checkEmpty);
  }
}

async function checkEmpty(pool: pg.Pool): Promise<Found> {
  if (await mayMakeBooks(pool)) return (await warningOf(pool)) ?? { state: 'good', detail: WILL_BE_MADE };
  const advice = 'GRANT CREATE ON DATABASE … TO the user of this URL, or name another user';
  return { state: 'fault', detail: 'there are no books, and this user may not make any', advice };
}

/** What works, and not as it should. */
async function warningOf(pool: pg.Pool): Promise<Found | undefined> {
  const state = 'warning';
  const [lossy] = await checkDatabaseDurability(pool);
  if (lossy)
    return { state, detail: `it works, but ${lossy.setting} is ${lossy.value}`, advice: lossy.advice };
  const skewMs = await clockSkewMs(pool, Date.now);
  if (Math.abs(skewMs) > TOLERATED_SKEW_MS)
    return { state, detail: skewWords(skewMs), advice: 'keep both clocks right with NTP' };
  const shortage = await connectionShortage(pool);
  return shortage === undefined ? undefined : { state, detail: shortage };
}

async function checkRedis(loaded: AnyLoaded, url: string): Promise<Finding> {
  const what = 'queue (Redis)';
  try {
    const [shortcoming] = await checkRedisPersistence(url);
    if (!shortcoming) return { state: 'good', what, detail: 'Redis answers, and keeps what it is given' };
    const detail = `Redis answers, but ${shortcoming.setting} is ${shortcoming.value}`;
    return { state: 'warning', what, detail, advice: shortcoming.advice };
  } catch (error) {
    const detail = saysOf(loaded, 'queue.redisUrl', `does not answer: ${rootMessage(error)}`);
    const advice =
      'is this URL right, and does Redis run? Until it answers, shares wait in the share log on disk';
    return { state: 'fault', what, detail, advice };
  }
}

/** With value and source of the setting. */
function saysOf({ written, sources }: AnyLoaded, key: Place, fault: string): string {
  return told(key, BRIDGE_SETTINGS[key], { value: written[key], source: sources[key] }, fault);
}
