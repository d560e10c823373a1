/** A pooler before the database passes on neither what a connection sets nor what is notified: doctor and serve refuse it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkBooks } from '../../../src/commands/doctor/books.js';
import { BRIDGE_SETTINGS } from '../../../src/config/settings.js';
import { SILENT } from '../../../src/core/names/log.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { useBooks } from '../../helpers/books/books.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { findPrograms } from '../../helpers/processes/debian.js';
import { freePort } from '../../helpers/processes/ports.js';
import { loadConfig } from '../../helpers/stories/load-config.js';
import { until } from '../../helpers/until.js';

const missing = await findPrograms('tests behind PgBouncer', ['pgbouncer'], 'pgbouncer');

const books = useBooks();

const WORDS = /^what a connection sets does not hold on it, .*: give the URL of PostgreSQL itself$/;

it.skipIf(missing !== undefined)('behind PgBouncer nothing is begun, and doctor says why', async () => {
  await using pooler = await startPgBouncer(books.connectionString);
  await expect(openLedger({ connectionString: pooler.url, log: SILENT })).rejects.toMatchObject({
    code: 'pooler',
    message: expect.stringMatching(WORDS),
  });
  const loaded = loadConfig(BRIDGE_SETTINGS, { argv: ['--ledger-database-url', pooler.url], env: {} });
  const [finding] = await checkBooks(loaded);
  expect(finding).toMatchObject({ state: 'fault', detail: expect.stringContaining('such as PgBouncer') });
});

/** In transaction mode, told to let what our connections set pass: without that it refuses them by itself. */
async function startPgBouncer(databaseUrl: string) {
  const folder = await temporaryFolder();
  const port = await freePort();
  const { port: behind, username, password } = new URL(databaseUrl);
  const ours = 'options, statement_timeout, lock_timeout, idle_in_transaction_session_timeout';
  const file = join(folder.path, 'pgbouncer.ini');
  const settings = `[databases]
* = host=127.0.0.1 port=${behind} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
ignore_startup_parameters = ${ours}
`;
  await writeFile(file, settings);
  // It does not run as root.
  await chmod(folder.path, 0o755);
  await chmod(file, 0o644);
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const server = spawn('pgbouncer', [...user, file], { stdio: 'ignore' });
  const url = new URL(databaseUrl);
  url.port = String(port);
  await until('PgBouncer answers', () => {
    if (server.exitCode !== null) throw new Error(`PgBouncer ended with ${server.exitCode}`);
    return isAnsweredAt(port);
  });
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      if (server.exitCode === null) await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

function isAnsweredAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
