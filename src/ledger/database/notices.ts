/**
 * Notices of PostgreSQL, on one connection that is kept for them. A notice says only that there is something to read: what was written while
 * nobody listened is found by reading after each {@link Notices.open}, and now and then in any case.
 */
import type pg from 'pg';

export class Notices {
  readonly #pool: pg.Pool;
  readonly #channel: string;
  #client: pg.PoolClient | undefined;
  #isClosed = false;

  constructor(pool: pg.Pool, channel: string) {
    this.#pool = pool;
    this.#channel = channel;
  }

  /** Resolves once they are heard, at once where they are; anew after the connection broke. Rejects while the ledger is away. */
  async open(heard: () => void): Promise<void> {
    if (this.#client || this.#isClosed) return;
    const client = await this.#pool.connect();
    this.#client = client;
    client.once('end', () => this.#leave(client));
    client.on('notification', heard);
    try {
      await client.query(`LISTEN ${this.#channel}`);
    } catch (error) {
      this.#leave(client);
      throw error;
    }
    if (this.#isClosed) this.#leave(client);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#client) this.#leave(this.#client);
  }

  /** Nobody else may get it: it listens. */
  #leave(client: pg.PoolClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.removeAllListeners('notification');
    client.release(true);
  }
}
