/**
 * One PostgreSQL for all files of a run, which have a database each: to make, start and stop one was a second of a
 * processor for each of fifty files. It is started when the first file asks.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { SILENT } from '../../../src/core/names/log.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';
import { order } from '../books/postgres.js';
import { temporaryFolder } from '../folder.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a file asks for the connection string of the server. */
    sharedPostgres: string;
  }
}

/** For as many files at once as processes run them, each with the connections of some bridges. */
const CONNECTIONS = 500;

/** As vitest calls it before all tests; what it returns is called after them. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let started: ReturnType<typeof start> | undefined;
  const server = createServer((_, response) => {
    started ??= start();
    started.then(
      ({ connectionString }) => response.end(connectionString),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provide('sharedPostgres', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    await (await started)?.close();
  };
}

async function start(): Promise<Pick<EmbeddedPostgres, 'connectionString' | 'close'>> {
  const folder = await temporaryFolder();
  const options = { dataDir: folder.path, log: SILENT, byTcp: true };
  // How many it takes is read at a start.
  const first = await startEmbeddedPostgres(options);
  await order(first.connectionString, `ALTER SYSTEM SET max_connections = ${CONNECTIONS}`);
  await first.close();
  const { connectionString, close } = await startEmbeddedPostgres(options);
  return {
    connectionString,
    close: async () => {
      await close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
