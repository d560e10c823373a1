/**
 * A real PostgreSQL of our own, for bridges that were given none: binaries from npm, data under the data directory
 * (`embedded/cluster.ts` tells what lies where). It is reached by a socket in a folder that is closed to others. When it dies
 * while the bridge lives it is started again at the same place, so that a connection string stays true for the bridge's life.
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/names/log.js';
import { explainFileError } from '../../files/file-error.js';
import { lockFolder } from '../../files/folder-lock.js';
import { findBinaries, linkLibraries } from './binaries.js';
import { clusterIn, prepareCluster, wasMade } from './cluster.js';
import type { ServerParts } from './parts.js';
import { chooseReach, connectionStringOf, findReach, hasSocket, type Reach } from './reach.js';
import { type Server, startServer } from './server.js';

interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** Reached by TCP with a password also where there are sockets, for what cannot use one. */
  readonly byTcp?: boolean;
}

export interface EmbeddedPostgres {
  /** Holds the password, where one is needed. */
  readonly connectionString: string;
  /** Who it runs as. */
  readonly systemUser: string;
  /** In order, or else at once. */
  close(withinMs?: number): Promise<void>;
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
  const lock = lockFolder(dataDir, 'postgres');
  try {
    const parts = await prepare(dataDir, log);
    const { server, reach } = await startPatiently(parts, options);
    const connectionString = connectionStringOf(reach);
    const at = reach.by === 'socket' ? { socket: reach.folder } : { port: reach.port };
    log.info({ ...at, systemUser: parts.user.name }, 'the embedded PostgreSQL is up');
    const keeper = new Keeper(parts, reach, log, server);
    const close = async (withinMs?: number): Promise<void> => {
      await keeper.close(withinMs);
      lock.release();
    };
    return { connectionString, systemUser: parts.user.name, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The connection string of the embedded PostgreSQL that a bridge runs on this data directory now, for commands beside it;
 * `undefined` when none runs. Only the user of the bridge, or root, may reach it.
 */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  try {
    const reach = await findReach(clusterIn(await realpath(dataDir)));
    return reach && connectionStringOf(reach);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw explainFileError(error, join(dataDir, 'postgres'));
  }
}

/** Whether a bridge has ever kept books in this data directory, also when they are gone. Makes nothing. */
export async function hasEmbeddedPostgres(dataDir: string): Promise<boolean> {
  const folder = join(dataDir, 'postgres');
  try {
    return await wasMade(folder);
  } catch (error) {
    if (isAbsent(error)) return false;
    throw explainFileError(error, folder);
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function prepare(dataDir: string, log: Log): Promise<ServerParts> {
  const found = await findBinaries();
  await linkLibraries(found);
  const binaries = { ...found, folder: await realpath(found.folder) };
  const cluster = clusterIn(await realpath(dataDir));
  const user = await prepareCluster({ cluster, binaries, log });
  return { binaries, user, cluster, log };
}

/** What a killed server leaves (shared memory, a port) goes away by itself within seconds. */
const PASSING = /still in use|address already in use/i;

async function startPatiently(
  parts: ServerParts,
  { log, byTcp = !hasSocket(parts.cluster) }: EmbeddedPostgresOptions,
): Promise<{ server: Server; reach: Reach }> {
  for (let attempt = 1; ; attempt++) {
    const reach = await chooseReach(parts.cluster, byTcp);
    try {
      return { server: await startServer(parts, reach), reach };
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
  readonly #reach: Reach;
  readonly #log: Log;
  readonly #kept: Promise<void>;
  readonly #closing = new AbortController();
  /** Resolves when {@link close} is called. One for all servers: each listener of a signal lives as long as the signal. */
  readonly #closed: Promise<undefined>;
  #stopMs: number | undefined;

  constructor(parts: ServerParts, reach: Reach, log: Log, server: Server) {
    this.#parts = parts;
    this.#reach = reach;
    this.#log = log;
    this.#closed = new Promise((done) => {
      this.#closing.signal.addEventListener('abort', () => done(undefined), { once: true });
    });
    this.#kept = this.#keep(server);
  }

  async close(withinMs: number | undefined): Promise<void> {
    this.#stopMs = withinMs;
    this.#closing.abort();
    await this.#kept;
  }

  async #keep(first: Server): Promise<void> {
    for (let server: Server | undefined = first; server; server = await this.#startAgain()) {
      const words = await this.#untilEndedOrClosing(server);
      if (words === undefined) return server.stop(this.#stopMs);
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
        return await startServer(this.#parts, this.#reach);
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
