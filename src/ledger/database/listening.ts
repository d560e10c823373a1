/** A connection that is kept to hear what the database notifies: straight to PostgreSQL, as no pooler passes that on. */
import pg from 'pg';

interface ListeningOptions {
  /** How its connections are made. */
  readonly pool: pg.Pool;
  readonly channel: string;
  /** Something was notified. */
  onNotice(): void;
  /** It listens from now on; what was notified before this was not heard. */
  onConnected(): void;
  /** Between two tries. */
  readonly againMs?: number;
}

export interface Listening {
  close(): Promise<void>;
}

const AGAIN_MS = 2_000;

export function startListening(options: ListeningOptions): Listening {
  const line = new Line(options);
  line.connect();
  return line;
}

class Line implements Listening {
  readonly #options: ListeningOptions;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  connect(): void {
    const { pool, channel, onNotice, onConnected } = this.#options;
    const client = new pg.Client(pool.options);
    this.#client = client;
    client.on('error', () => this.#broken(client));
    client.on('end', () => this.#broken(client));
    client.on('notification', () => onNotice());
    client
      .connect()
      .then(() => client.query(`LISTEN ${channel}`))
      // Away, as the parts that ask it say, too.
      .then(onConnected, () => this.#broken(client));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.end();
  }

  /** Once for each connection. */
  #broken(client: pg.Client): void {
    if (this.#isClosed || client !== this.#client) return;
    this.#client = undefined;
    void client.end();
    this.#timer = setTimeout(() => this.connect(), this.#options.againMs ?? AGAIN_MS);
  }
}
