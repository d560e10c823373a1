/** A process that owns an embedded PostgreSQL until it is killed. Argument: the data directory. Sends the connection string. */
import { SILENT } from '../../../src/core/names/log.js';
import { startEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';

const postgres = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', log: SILENT });
process.send?.(postgres.connectionString);
process.on('message', async () => {
  await postgres.close();
  process.disconnect();
});
