/** The PostgreSQL of a story: its clock is the story's, and when it is killed it is started again at the same place. */
import { chmod } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { SILENT } from '../../../src/core/names/log.js';
import { findBinaries, linkLibraries } from '../../../src/ledger/embedded/binaries.js';
import { clusterIn, prepareCluster } from '../../../src/ledger/embedded/cluster.js';
import type { ServerParts } from '../../../src/ledger/embedded/parts.js';
import { chooseReach, connectionStringOf, type Reach } from '../../../src/ledger/embedded/reach.js';
import { type Server, startServer } from '../../../src/ledger/embedded/server.js';
import { postmasterPid } from '../../helpers/books/ask-postgres.js';

/** Shared memory of one that was killed goes away by itself. */
const AGAIN_MS = 500;
const ATTEMPTS = 60;

export class DayPostgres {
  readonly connectionString: string;
  readonly #parts: ServerParts;
  readonly #reach: Reach;
  readonly #dataDir: string;
  #server: Server;

  private constructor(parts: ServerParts, reach: Reach, dataDir: string, server: Server) {
    this.#parts = parts;
    this.#reach = reach;
    this.#dataDir = dataDir;
    this.#server = server;
    this.connectionString = connectionStringOf(reach);
  }

  /** @param env that puts its clock ahead: it runs as another user, and is handed on nothing else. */
  static async start(dataDir: string, env: Readonly<Record<string, string>>): Promise<DayPostgres> {
    await chmod(dataDir, 0o755);
    const binaries = await findBinaries();
    await linkLibraries(binaries);
    const cluster = clusterIn(dataDir);
    const user = await prepareCluster({ cluster, binaries, log: SILENT });
    const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const spawn: typeof user.spawn = (file, args, stdio) =>
      file === binaries.postgres
        ? user.spawn('env', [...assignments, file, ...args], stdio)
        : user.spawn(file, args, stdio);
    const parts = { binaries, user: { ...user, spawn }, cluster, log: SILENT };
    const reach = await chooseReach(cluster, true);
    return new DayPostgres(parts, reach, dataDir, await startServer(parts, reach));
  }

  async killAndStart(): Promise<void> {
    process.kill(await postmasterPid(this.#dataDir), 'SIGKILL');
    await this.#server.ended;
    for (let attempt = 1; ; attempt++) {
      try {
        this.#server = await startServer(this.#parts, this.#reach);
        return;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        await pause(AGAIN_MS);
      }
    }
  }

  close(): Promise<void> {
    return this.#server.stop();
  }
}
