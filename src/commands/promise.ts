/** What the promise to rigs needs of database and queue: looked at when they can be asked, and said where it is not so. */
import type { BridgeConfig } from '../config/settings.js';
import type { Log } from '../core/log.js';
import { connectionShortage } from '../ledger/connections.js';
import { checkDatabaseDurability } from '../ledger/durability.js';
import type { Ledger } from '../ledger/ledger.js';
import { checkRedisPersistence } from '../queue/redis-persistence.js';

const LOSSY = 'shares that rigs were told are kept may be lost';

/** Never rejects: what cannot be asked is told as that. */
export async function tellOfPromise(config: BridgeConfig, ledger: Ledger, log: Log): Promise<void> {
  const redisUrl = config['queue.redisUrl'];
  await Promise.all([
    tellOf(
      'database',
      ledger.ready.then(() => askDatabase(ledger, log)),
      log,
    ),
    redisUrl ? tellOf('Redis', checkRedisPersistence(redisUrl), log) : undefined,
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

async function tellOf(what: string, asking: Promise<readonly Shortcoming[]>, log: Log): Promise<void> {
  try {
    for (const { setting, value, advice } of await asking)
      log.warn(
        { event: 'durability', what, setting, value },
        `${LOSSY}: ${setting} of the ${what} is ${value}; ${advice}`,
      );
  } catch (error) {
    const words = `whether the ${what} keeps what it is given cannot be asked now; \`stratum-bridge doctor\` asks again`;
    log.warn({ event: 'durability', what, error: (error as Error).message }, words);
  }
}
