/** Whether a Redis keeps what it was given: what the promise to rigs needs of its settings. */
import { Redis } from 'ioredis';

/** One setting that is not as the promise needs it; `advice` says what to do and what is lost otherwise. */
interface RedisShortcoming {
  readonly setting: string;
  readonly value: string;
  readonly advice: string;
}

interface Need {
  readonly setting: string;
  readonly wanted: string;
  readonly advice: string;
}

/** `src/ledger/README.md` repeats these; with all of them an acknowledged share survives kill -9 and loss of power. */
const REDIS_NEEDS: readonly Need[] = [
  {
    setting: 'appendonly',
    wanted: 'yes',
    advice: 'set `appendonly yes`: without it Redis forgets all shares of the last minutes when it ends',
  },
  {
    setting: 'appendfsync',
    wanted: 'always',
    advice: 'set `appendfsync always`: with `everysec` a loss of power costs the shares of up to two seconds',
  },
  {
    setting: 'maxmemory-policy',
    wanted: 'noeviction',
    advice: 'set `maxmemory-policy noeviction`: any other may throw shares away when memory is short',
  },
];

const TIMEOUT_MS = 3000;

/** Throws when Redis does not answer. A Redis that does not tell its settings has them named as `unknown`. */
export async function checkRedisPersistence(url: string): Promise<RedisShortcoming[]> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let fault: Error | undefined;
  redis.on('error', (error) => {
    fault = error;
  });
  try {
    // The rejection only says that the connection is closed; the event says why.
    await redis.connect().catch((error: unknown) => Promise.reject(fault ?? error));
    const values = await Promise.all(REDIS_NEEDS.map((need) => settingOf(redis, need.setting)));
    return REDIS_NEEDS.flatMap(({ setting, wanted, advice }, i) => {
      const value = values[i] ?? 'unknown';
      return value === wanted ? [] : [{ setting, value, advice }];
    });
  } finally {
    redis.disconnect();
  }
}

/** Hosted ones often refuse CONFIG; that is no failure of the connection. */
async function settingOf(redis: Redis, setting: string): Promise<string> {
  try {
    const answer = (await redis.config('GET', setting)) as string[] | Record<string, string>;
    const value = Array.isArray(answer) ? answer[1] : answer[setting];
    return value ?? 'unknown';
  } catch (error) {
    if (/unknown command|noperm|not allowed|disabled/i.test((error as Error).message)) return 'unknown';
    throw error;
  }
}
