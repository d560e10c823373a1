/** Submits that are durable when they are answered, against the bare echo of the same run, and solutions under that load. */

import { startTestPostgres } from '../../helpers/books/postgres.js';
import { findRedis, startTestRedis } from '../../helpers/books/redis.js';
import { serveHttp } from '../../helpers/web/http.js';
import type { DurableOptions } from './durable-server.js';
import { type Quantiles, quantiles, Subject } from './stratum-subject.js';

export interface DurableFigures {
  readonly backend: 'postgres' | 'redis';
  readonly barePerSecond: number;
  readonly perSecond: number;
  readonly ratio: number;
  /** From the judge's call to the written request. */
  readonly solutionMs: Quantiles;
  readonly solutions: number;
  /** From submit to answer, of some 1,000 submits a second. */
  readonly answerMs: Quantiles;
}

/**
 * At both servers alike: as many rigs as a large pool has, each with one submit under way, as a rig's next share comes later
 * than its answer. An answer that waits for a disk takes its time, so few rigs would measure that alone.
 */
const RIGS = 8000;
const TRAFFIC = { senders: RIGS, window: 1, yields: true };
/** Solutions are seldom, and it takes some to speak of a quantile. */
const ROUNDS = 8;
const PACED_MS = 10_000;

/** With PostgreSQL as embedded, and with a Redis that writes every entry to disk, where there is one. */
export async function measureDurable(): Promise<DurableFigures[]> {
  const figures = [await measure('postgres')];
  if ((await findRedis()) === undefined) figures.push(await measure('redis'));
  return figures;
}

async function measure(backend: DurableFigures['backend']): Promise<DurableFigures> {
  const postgres = await startTestPostgres();
  const redis = backend === 'redis' ? await startTestRedis() : undefined;
  const databaseUrl = postgres.connectionString;
  const connection = redis
    ? ({ backend: 'redis', url: redis.url } as const)
    : ({ backend: 'postgres', connectionString: databaseUrl } as const);
  try {
    await using node = await serveHttp((_request, response) => response.writeHead(204).end());
    const options: DurableOptions = { connection, databaseUrl, nodeUrl: node.url };
    await using bare = await Subject.start('bare', RIGS, TRAFFIC);
    await using durable = await Subject.start('durable', RIGS, { ...TRAFFIC, options });
    for (let round = 0; round < ROUNDS; round++)
      for (const subject of [bare, durable]) await subject.submit();
    const answerMs = quantiles(await durable.answerWaits(PACED_MS));
    const waits = await durable.call<number[]>('solutionWaits');
    const [solutionMs, solutions] = [quantiles(waits), waits.length];
    const [barePerSecond, perSecond] = [bare.submitsPerSecond, durable.submitsPerSecond];
    await durable.call('close');
    const ratio = perSecond / barePerSecond;
    return { backend, barePerSecond, perSecond, ratio, solutionMs, solutions, answerMs };
  } finally {
    await redis?.close();
    await postgres.close();
  }
}
