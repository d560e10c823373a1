/** The server of the stratum benchmark. */
import { type BridgeEvents, createBridgeEvents } from '../../../src/bridge/events.js';
import { JobRoller } from '../../../src/bridge/job-roller.js';
import { createJudge } from '../../../src/bridge/judge.js';
import { type Job, JobBook } from '../../../src/core/jobs/job.js';
import { NonceSpace } from '../../../src/core/jobs/nonce.js';
import { SILENT } from '../../../src/core/names/log.js';
import { startStratumServer } from '../../../src/stratum/server.js';
import { makeWork } from '../../helpers/rigs/works.js';
import { type Calls, nowNs, processorMs, settledRssBytes } from '../peer.js';

const clock = { nowMs: () => Date.now() };

export interface StratumOptions {
  /** By the limits that are set where nobody sets any. */
  readonly limited?: boolean;
  readonly events?: BridgeEvents;
  /** So many, with jobs that are rolled and targets that follow the rigs; without it one job, and every hash is a share. */
  readonly chains?: number;
}

/** The bridge from socket to verdict; shares count as durable at once, since the queue is measured elsewhere. */
export async function stratumServer(options: StratumOptions): Promise<Calls> {
  return (await startBench(options)).calls;
}

export async function startBench({
  limited = false,
  events = createBridgeEvents(),
  chains = 0,
}: StratumOptions) {
  const book = new JobBook(1);
  const roller = new JobRoller(book, clock);
  const judge = createJudge({
    book,
    clock,
    shares: { append: (_share, _reached, waiter) => queueMicrotask(() => waiter.kept()) },
    sendSolution: () => undefined,
  });
  const open = {
    connectsPerSecond: 1e6,
    connectBurst: 1e6,
    messagesPerSecond: 1e9,
    messageBurst: 1e9,
    messagesPerSecondPerAddress: 1e9,
    pendingSubmits: 1e6,
  };
  let sessions = 0;
  const server = await startStratumServer({
    listeners: [{ name: 'ws', transport: 'ws', address: { host: '127.0.0.1', port: 0 } }],
    judge,
    clock,
    nonceSpace: new NonceSpace(0),
    events,
    log: SILENT,
    nextSessionId: () => ++sessions,
    shareDifficulty: chains > 0 ? 'vardiff' : 1n,
    ...(chains > 0 ? { jobs: roller } : {}),
    limits: { connectionsPerAddress: 20_000, ...(limited ? {} : open) },
  });
  const offer = (parent: number, chainId = 3): Job => {
    const job = book.add(
      makeWork({ chainId, parent: parent % 251, payload: parent % 241, difficulty: 1n << 100n }),
      'node',
    );
    roller.offerJob(job);
    server.jobs.offerJob(job);
    return job;
  };
  offer(0);
  for (let more = 1; more < chains; more++) offer(0, 3 + more);
  const calls = {
    port: () => server.addresses['ws']?.port,
    rssBytes: settledRssBytes,
    processorMs,
    jobIds: () => book.liveJobs.slice(-1).map(({ id }) => id),
    fanOut: (number: number) => {
      const startedNs = nowNs();
      offer(number + 1);
      return { startedNs, writtenNs: nowNs() };
    },
  };
  return { calls, server, book };
}
