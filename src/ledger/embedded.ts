/**
 * A real PostgreSQL of our own, for bridges that were given none: binaries from npm, data under the data directory.
 *
 *     <dataDir>/postgres/data        the cluster (PGDATA), with its own logs in data/log
 *     <dataDir>/postgres/password    of its only login, mode 0600
 *     <dataDir>/postgres/start.log   what the last start said
 *
 * It listens on 127.0.0.1 on a port chosen at each start. When it dies while the bridge lives it is started again on the
 * same port, so that a connection string stays true for the bridge's life.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../core/log.js';
import { findBinaries } from './embedded/binaries.js';
import { prepareCluster } from './embedded/cluster.js';
import { runningPort, stopLeftOver } from './embedded/left-over.js';
import {
  connectionStringOf,
  freePort,
  type Server,
  type ServerParts,
  startServer,
} from './embedded/server.js';
import { chooseSystemUser } from './embedded/system-user.js';
import { explainFileError } from './errors.js';
import { lockFolder } from './folder-lock.js';

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Log;
}

export interface EmbeddedPostgres {
  /** Holds the password. */
  readonly connectionString: string;
  /** Who it runs as. */
  readonly systemUser: string;
  close(): Promise<void>;
}

const START_ATTEMPTS = 40;
const RETRY_MS = 500;
const MAX_RESTART_DELAY_MS = 5000;

/**
 * Starts it, making the cluster on the first start and taking over from a server that outlived its bridge.
 * Throws LedgerError with a sentence that says what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log } = options;
  const lock = await lockFolder(dataDir, 'postgres');
  try {
    const parts = await prepare(dataDir, log);
    const { server, port } = await startPatiently(parts, log);
    const connectionString = connectionStringOf(parts.cluster, port);
    log.info({ port, systemUser: parts.user.name }, 'the embedded PostgreSQL is up');
    const keeper = new Keeper(parts, port, log, server);
    const close = async (): Promise<void> => {
      await keeper.close();
      await lock.release();
    };
    return { connectionString, systemUser: parts.user.name, close };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * The connection string of the embedded PostgreSQL that a bridge runs on this data directory now, for commands beside it;
 * `undefined` when none runs. Only the user of the bridge, or root, may read its password.
 */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const folder = join(dataDir, 'postgres');
  try {
    const password = (await readFile(join(folder, 'password'), 'utf8')).trim();
    const cluster = { data: join(folder, 'data'), password };
    const port = await runningPort(cluster);
    return port === undefined ? undefined : connectionStringOf(cluster, port);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw explainFileError(error, folder);
  }
}

/** Whether a bridge has ever kept books in this data directory. Makes nothing. */
export async function hasEmbeddedPostgres(dataDir: string): Promise<boolean> {
  const data = join(dataDir, 'postgres', 'data');
  try {
    await stat(data);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw explainFileError(error, data);
  }
}

async function prepare(dataDir: string, log: Log): Promise<ServerParts> {
  const binaries = await findBinaries();
  const folder = join(await realpath(dataDir), 'postgres');
  const user = await chooseSystemUser([await realpath(binaries.postgres), folder]);
  const cluster = await prepareCluster({ folder, binaries, user, log });
  await stopLeftOver(cluster, log);
  return { binaries, user, cluster };
}

/** What a killed server leaves (a process not yet reaped, shared memory) goes away by itself within seconds. */
const PASSING = /already exists|still in use|address already in use/i;

async function startPatiently(parts: ServerParts, log: Log): Promise<{ server: Server; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return { server: await startServer(parts, port), port };
    } catch (error) {
      const { message } = error as Error;
      if (!PASSING.test(message) || attempt === START_ATTEMPTS) throw error;
      log.info({ attempt, error: message }, 'the embedded PostgreSQL does not start yet');
      await pause(RETRY_MS);
    }
  }
}

/** Keeps the server running until it is closed. */
class Keeper {
  readonly #parts: ServerParts;
  readonly #port: number;
  readonly #log: Log;
  readonly #kept: Promise<void>;
  readonly #closing = new AbortController();
  /** Resolves when {@link close} is called. One for all servers: each listener of a signal lives as long as the signal. */
  readonly #closed: Promise<undefined>;

  constructor(parts: ServerParts, port: number, log: Log, server: Server) {
    this.#parts = parts;
    this.#port = port;
    this.#log = log;
    this.#closed = new Promise((done) => {
      this.#closing.signal.addEventListener('abort', () => done(undefined), { once: true });
    });
    this.#kept = this.#keep(server);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#kept;
  }

  async #keep(first: Server): Promise<void> {
    for (let server: Server | undefined = first; server; server = await this.#startAgain()) {
      const words = await this.#untilEndedOrClosing(server);
      if (words === undefined) return server.stop();
      this.#log.error({ words }, 'the embedded PostgreSQL died; starting it again');
    }
  }

  /** The words of the server's end, or `undefined` when it is time to stop it. */
  async #untilEndedOrClosing(server: Server): Promise<string | undefined> {
    return Promise.race([server.ended, this.#closed]);
  }

  async #startAgain(): Promise<Server | undefined> {
    for (
      let delayMs = 100;
      !this.#closing.signal.aborted;
      delayMs = Math.min(2 * delayMs, MAX_RESTART_DELAY_MS)
    ) {
      try {
        return await startServer(this.#parts, this.#port);
      } catch (error) {
        this.#log.error(
          { error: (error as Error).message },
          'the embedded PostgreSQL does not start again yet',
        );
        await pause(delayMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
    return undefined;
  }
}
