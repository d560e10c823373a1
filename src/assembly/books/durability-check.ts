/** What the promise to rigs needs of database and queue: looked at when they can be asked, and said where it is not so. */
import type { BridgeConfig } from '../../config/settings.js';
import type { Log } from '../../core/names/log.js';
import { connectionShortage } from '../../ledger/database/connections.js';
import { checkDatabaseDurability } from '../../ledger/database/durability.js';
import type { Ledger } from '../../ledger/ledger.js';
import { checkRedisPersistence } from '../../queue/bullmq/redis-persistence.js';
import { placeOf } from './former-queues.js';

const LOSSY = 'shares that rigs were told are kept may be lost';

/** Never rejects: what cannot be asked is told as that. */
export async function tellOfPromise(
  config: Pick<BridgeConfig, 'queue.redisUrl'>,
  ledger: Ledger,
  log: Log,
): Promise<void> {
  const redisUrl = config['queue.redisUrl'];
  await Promise.all([
    tellOf(
      'database',
      ledger.ready.then(() => askDatabase(ledger, log)),
      log,
    ),
    redisUrl ? tellOf('Redis', checkRedisPersistence(redisUrl), log, awayWords(redisUrl)) : undefined,
  ]);
}

interface Shortcoming {
  readonly setting: string;
  readonly value: string;
  readonly advice: string;
}

async function askDatabase(ledger: Ledger, log: Log): Promise<readonly Shortcoming[]> {
  const shortage = await connectionShortage(ledger.pool);
  if (shortage !== undefined) log.warn({}, shortage);
  return checkDatabaseDurability(ledger.pool);
}

function awayWords(redisUrl: string): string {
  const place = `Redis at ${placeOf(redisUrl)} (queue.redisUrl) does not answer`;
  return `${place}: shares wait in the share log on disk until it does; is this URL right, and does Redis run?`;
}

function unasked(what: string): string {
  return `whether the ${what} keeps what it is given cannot be asked now; \`stratum-bridge doctor\` asks again`;
}

/** @param words of what it means that it cannot be asked. */
async function tellOf(
  what: string,
  asking: Promise<readonly Shortcoming[]>,
  log: Log,
  words = unasked(what),
): Promise<void> {
  try {
    for (const { setting, value, advice } of await asking)
      log.warn(
        { event: 'durability', what, setting, value },
        `${LOSSY}: ${setting} of the ${what} is ${value}; ${advice}`,
      );
  } catch (error) {
    log.warn({ event: 'durability', what, error: (error as Error).message }, words);
  }
}
