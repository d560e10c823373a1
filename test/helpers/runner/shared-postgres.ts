/**
 * One PostgreSQL for all files of a run, which have a database each: to make, start and stop one was a second of a
 * processor for each of fifty files. It is started when the first file asks. What needs a server of its own gets a copy of
 * one that was made once ({@link startTestPostgres}).
 */
import type { TestProject } from 'vitest/node';
import { SILENT } from '../../../src/core/names/log.js';
import { startEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';
import { MADE_CLUSTER, order, startTestPostgres } from '../books/postgres.js';
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
  const cluster = await shareByAll(makeCluster);
  // For programs that tests start too.
  process.env[MADE_CLUSTER] = cluster.url;
  const postgres = await shareByAll(async () => {
    const { connectionString, close } = await startTestPostgres();
    return { address: connectionString, close };
  });
  provide('sharedPostgres', postgres.url);
  return async () => {
    await postgres.close();
    await cluster.close();
  };
}

/** Its address is the data directory. */
async function makeCluster(): Promise<Shared> {
  const folder = await temporaryFolder();
  const first = await startEmbeddedPostgres({ dataDir: folder.path, log: SILENT, byTcp: true });
  await order(first.connectionString, `ALTER SYSTEM SET max_connections = ${CONNECTIONS}`);
  await first.close();
  return { address: folder.path, close: async () => folder[Symbol.asyncDispose]() };
}
