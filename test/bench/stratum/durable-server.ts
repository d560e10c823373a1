/**
 * The bridge from socket to durable share for the stratum benchmark: as `serve` runs it, with journal, queue, recorder and
 * ledger, and solutions that are posted to an HTTP server over the connections kept open for them.
 */
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeadWorks } from '../../../src/bridge/dead-works.js';
import { createBridgeEvents } from '../../../src/bridge/events.js';
import { createJudge } from '../../../src/bridge/judge.js';
import type { SolutionAnswer } from '../../../src/bridge/ports.js';
import { SolutionSender } from '../../../src/bridge/solution-sender.js';
import { JobBook } from '../../../src/core/jobs/job.js';
import { NonceSpace } from '../../../src/core/jobs/nonce.js';
import { SILENT } from '../../../src/core/names/log.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { NodeHttp } from '../../../src/node-client/asking/http.js';
import { SolutionLane } from '../../../src/node-client/lines/solution-lane.js';
import type { QueueConnection } from '../../../src/queue/bullmq/connection.js';
import { startShareRecorder } from '../../../src/queue/recording/recorder.js';
import { openShareQueue } from '../../../src/queue/share-queue.js';
import { startStratumServer } from '../../../src/stratum/server.js';
import { makeWork } from '../../helpers/rigs/works.js';
import { whenWritten } from '../upstream/when-written.js';

export interface DurableOptions {
  readonly connection: QueueConnection;
  readonly databaseUrl: string;
  /** Answers what is posted with 204. */
  readonly nodeUrl: string;
}

/** Works at a time: a node takes one solution of each, so there are more of them than are solved in a round. */
const WORKS = 200;
/** A solution in so many submits: some ten a second, so that a hundredth of them is more than one. */
const BLOCK_DIFFICULTY = 3_000n;

export async function durableServer({ connection, databaseUrl, nodeUrl }: DurableOptions) {
  const dataDir = await mkdtemp(join(tmpdir(), 'stratum-bridge-bench-'));
  const ledger = await openLedger({ connectionString: databaseUrl, log: SILENT });
  const recorder = startShareRecorder({ connection, ledger, log: SILENT });
  const queue = await openShareQueue({
    ...{ connection, folder: dataDir, ledger, place: 'test', log: SILENT, newLogId: randomUUID },
  });
  const [book, events, clock] = [new JobBook(1), createBridgeEvents(), { nowMs: Date.now }];
  const http = new NodeHttp();
  const lane = new SolutionLane({ http, keepOpenUrl: `${nodeUrl}/info`, random: Math.random });
  lane.start();
  const sender = new SolutionSender({
    sink: { postSolution: (_node, header) => post(lane, nodeUrl, header) },
    solutions: queue,
    isLive: ({ id }) => book.find(id).state === 'live',
    deadWorks: new DeadWorks(),
    source: { refresh: () => undefined },
    events,
    log: SILENT,
    untilReachedMs: () => 0,
  });
  const waits = solutionWaits();
  const judge = createJudge({
    book,
    shares: queue,
    clock,
    sendSolution: (solution) => sender.send(solution),
  });
  let sessions = 0;
  const open = {
    connectBurst: 1e6,
    messagesPerSecond: 1e9,
    messageBurst: 1e9,
    messagesPerSecondPerAddress: 1e9,
    pendingSubmits: 1e6,
  };
  const server = await startStratumServer({
    listeners: [{ name: 'ws', transport: 'ws', address: { host: '127.0.0.1', port: 0 } }],
    judge: {
      judge: (submit) => {
        waits.judging();
        return judge.judge(submit);
      },
    },
    clock,
    nonceSpace: new NonceSpace(0),
    events,
    log: SILENT,
    nextSessionId: () => ++sessions,
    shareDifficulty: 1n,
    limits: { connectionsPerAddress: 20_000, ...open },
  });
  let cuts = 0;
  const newCut = (): string[] => {
    cuts++;
    for (let payload = 0; payload < WORKS; payload++) {
      const work = makeWork({ parent: cuts % 251, payload, difficulty: BLOCK_DIFFICULTY });
      const job = book.add(work, 'node');
      // Rigs take one; it is not the jobs on their way that is measured here.
      if (payload === 0) server.jobs.offerJob(job);
    }
    return book.liveJobs.map(({ id }) => id);
  };
  newCut();
  return {
    port: () => server.addresses['ws']?.port,
    rssBytes: () => process.memoryUsage().rss,
    /** Of a new cut: works that nobody has solved yet. */
    jobIds: newCut,
    solutionWaits: () => waits.values,
    close: async () => {
      await server.close();
      await sender.close(1000);
      await queue.close();
      await recorder.close();
      await ledger.close();
      await Promise.all([lane.close(), http.close()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function post(lane: SolutionLane, nodeUrl: string, header: Uint8Array): Promise<SolutionAnswer> {
  try {
    const url = `${nodeUrl}/mining/solved`;
    const { answer } = await lane.post({ method: 'POST', url, body: header, timeoutMs: 5000 });
    const { status } = answer;
    return status === 204 ? { outcome: 'received' } : { outcome: 'refused', status, text: '' };
  } catch (error) {
    return { outcome: 'unanswered', error: error as Error };
  }
}

/** Milliseconds from the judge's call of a solution to when its request was handed to the system. */
function solutionWaits() {
  const values: number[] = [];
  let judgingAtMs = 0;
  // A request is made in the same turn as the judge's call: everything that decides happens before the first await.
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { request: ClientRequest };
    const judgedAtMs = judgingAtMs;
    if (request.path.endsWith('/mining/solved'))
      whenWritten(request, () => values.push(performance.now() - judgedAtMs));
  });
  // With all kept connections at work a solution goes by the pool.
  const created = new WeakMap<object, number>();
  const requestIn = (message: unknown): { path: string } =>
    (message as { request: { path: string } }).request;
  subscribe('undici:request:create', (message) => {
    const request = requestIn(message);
    if (request.path.endsWith('/mining/solved')) created.set(request, judgingAtMs);
  });
  subscribe('undici:client:sendHeaders', (message) => {
    const judgedAtMs = created.get(requestIn(message));
    if (judgedAtMs !== undefined) values.push(performance.now() - judgedAtMs);
  });
  return {
    values,
    judging: () => {
      judgingAtMs = performance.now();
    },
  };
}
