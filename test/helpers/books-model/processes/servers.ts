/** PostgreSQL and Redis of histories: killed in the middle of one, and there again for the next. */
import { Redis } from 'ioredis';
import { PostgresVictim } from '../../../queue/victims.js';
import { ask } from '../../books/ask-postgres.js';
import { startTestPostgres, type TestPostgres } from '../../books/postgres.js';
import { findRedis, startTestRedis, type TestRedis } from '../../books/redis.js';

export class Servers {
  readonly postgres: TestPostgres;
  readonly #redis: TestRedis | undefined;
  readonly #victim: PostgresVictim;
  #isRedisUp = true;

  private constructor(postgres: TestPostgres, redis: TestRedis | undefined) {
    this.postgres = postgres;
    this.#redis = redis;
    this.#victim = new PostgresVictim(postgres);
  }

  static async start(): Promise<Servers> {
    const redis = (await findRedis()) === undefined ? await startTestRedis() : undefined;
    return new Servers(await startTestPostgres(), redis);
  }

  /** `undefined`: this machine has none. */
  get redisUrl(): string | undefined {
    return this.#redis?.url;
  }

  killPostgres(): Promise<void> {
    return this.#victim.kill();
  }

  async postgresAnswers(): Promise<void> {
    await this.#victim.start();
    // Who was connected before may be told later that it broke.
    await ask(this.postgres, 'SELECT 1');
  }

  async killRedis(): Promise<void> {
    if (this.#isRedisUp) await this.#redis?.kill();
    this.#isRedisUp = false;
  }

  async startRedis(): Promise<void> {
    if (!this.#isRedisUp) await this.#redis?.start();
    this.#isRedisUp = true;
  }

  /** All that waits is lost. */
  async emptyRedis(): Promise<void> {
    if (!this.#redis || !this.#isRedisUp) return;
    const client = new Redis(this.#redis.url);
    client.on('error', () => {}); // what is asked fails
    await client.flushall();
    client.disconnect();
  }

  async close(): Promise<void> {
    await this.#redis?.close();
    await this.postgres.close();
  }
}
