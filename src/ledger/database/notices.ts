/**
 * Notices of PostgreSQL, on one connection that is kept for them: straight to the database, as no pooler passes them on. A notice says only
 * that there is something to read. What was written while nobody listened is found by who reads at each connect, and now and then in any case.
 */
import pg from 'pg';

interface Hearer {
  /** There may be something to read. @param about what, in a word of who has told it. */
  onNotice(about: string): void;
  /** It listens from now on; notices of before were not heard. */
  onConnected(): void;
}

/** Between two tries. */
const AGAIN_MS = 2_000;

export class Notices {
  readonly #pool: pg.Pool;
  /** By channel. */
  readonly #hearers = new Map<string, Hearer>();
  #client: pg.Client | undefined;
  /** A connection is asked one thing after the other. */
  #asked: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param pool of which the connection has its settings. */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** One hearer a channel. */
  on(channel: string, hearer: Hearer): void {
    this.#hearers.set(channel, hearer);
    if (this.#client) this.#listen(this.#client, channel, hearer);
    else if (!this.#timer) this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.end();
  }

  #connect(): void {
    this.#timer = undefined;
    const client = new pg.Client(this.#pool.options);
    this.#client = client;
    client.on('error', () => this.#broken(client));
    client.on('end', () => this.#broken(client));
    client.on('notification', ({ channel, payload = '' }) => this.#hearers.get(channel)?.onNotice(payload));
    // Where it is away, the parts that ask it say so.
    this.#asked = client.connect().then(
      () => undefined,
      () => this.#broken(client),
    );
    for (const [channel, hearer] of this.#hearers) this.#listen(client, channel, hearer);
  }

  #listen(client: pg.Client, channel: string, hearer: Hearer): void {
    this.#asked = this.#asked.then(async () => {
      if (client !== this.#client) return;
      await client.query(`LISTEN ${channel}`).then(
        () => hearer.onConnected(),
        () => this.#broken(client),
      );
    });
  }

  /** Once for each connection. */
  #broken(client: pg.Client): void {
    if (this.#isClosed || client !== this.#client) return;
    this.#client = undefined;
    void client.end();
    this.#timer = setTimeout(() => this.#connect(), AGAIN_MS);
  }
}
