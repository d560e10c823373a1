/**
 * One PostgreSQL for all files of a run, which have a database each: to make, start and stop one was a second of a
 * processor for each of fifty files. It is started when the first file asks.
 */
import type { TestProject } from 'vitest/node';
import { SILENT } from '../../../src/core/names/log.js';
import { startEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';
import { order } from '../books/postgres.js';
import { temporaryFolder } from '../folder.js';
import { type Shared, shareByAll } from './shared.js';

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
  const { url, close } = await shareByAll(start);
  provide('sharedPostgres', url);
  return close;
}

async function start(): Promise<Shared> {
  const folder = await temporaryFolder();
  const options = { dataDir: folder.path, log: SILENT, byTcp: true };
  // How many it takes is read at a start.
  const first = await startEmbeddedPostgres(options);
  await order(first.connectionString, `ALTER SYSTEM SET max_connections = ${CONNECTIONS}`);
  await first.close();
  const { connectionString, close } = await startEmbeddedPostgres(options);
  return {
    address: connectionString,
    close: async () => {
      await close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
