/** The whole bridge, built and wired on one page. What `serve` and `demo` run. */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Registry } from 'prom-client';
import { chooseKernel } from '../../workers/kernels.js';
import { Dispatcher } from '../bridge/dispatcher.js';
import { type BridgeEvents, createBridgeEvents } from '../bridge/events.js';
import { createJudge } from '../bridge/judge.js';
import type { Clock, ShareLog } from '../bridge/ports.js';
import { SolutionSender } from '../bridge/solution-sender.js';
import type { BridgeConfig } from '../config/settings.js';
import type { ListenAddress } from '../config/values.js';
import { readVersion } from '../config/version.js';
import { JobBook } from '../core/job.js';
import type { Log } from '../core/log.js';
import { NonceSpace } from '../core/nonce.js';
import { type Cpu, startCpu } from '../cpu/cpu.js';
import { startEmbeddedPostgres } from '../ledger/embedded.js';
import { lockFolder } from '../ledger/folder-lock.js';
import { type Ledger, openLedger } from '../ledger/ledger.js';
import type { Miner } from '../node/client.js';
import { Upstream } from '../node/upstream.js';
import type { QueueConnection } from '../queue/connection.js';
import { openShareQueue } from '../queue/share-queue.js';
import { startShareRecorder } from '../queue/share-recorder.js';
import { type StratumServer, type StratumServerOptions, startStratumServer } from '../stratum/server.js';
import { createMetrics } from '../web/metrics.js';
import { startWebServer, type WebServer } from '../web/server.js';
import { type Summary, type SummarySources, summarize } from '../web/summary.js';
import { Tally } from '../web/tally.js';
import { logEvents } from './event-log.js';
import { CloseStack } from './stop.js';

export interface Bridge {
  /** As really bound. */
  readonly addresses: { readonly tcp?: ListenAddress; readonly ws?: ListenAddress; readonly web?: string };
  readonly tally: Tally;
  summary(): Promise<Summary>;
  /** What the CPU threads measure themselves. */
  cpuHashesPerSecond(): number;
  close(): Promise<void>;
}

const CLOCK: Clock = { nowMs: () => Date.now() };
/** A released nonce1 rests for as long as a job may live: nodes forget a work 330 s after they last handed it out. */
const NONCE1_QUARANTINE_MS = 330_000;
/** Posts under way at the end get this long. */
const SOLUTION_GRACE_MS = 2_000;

/** Starts all parts; on a failure those that stand are stopped again. */
export async function startBridge(config: BridgeConfig, miner: Miner, log: Log): Promise<Bridge> {
  const open = new CloseStack();
  try {
    return await build(config, miner, log, open);
  } catch (error) {
    await open.close(log);
    throw error;
  }
}

async function build(config: BridgeConfig, miner: Miner, log: Log, open: CloseStack): Promise<Bridge> {
  const startedAtMs = CLOCK.nowMs();
  const events = createBridgeEvents();
  const tally = new Tally(events, CLOCK);
  logEvents(events, log);

  const { ledger, shares, queueStats } = await openBooks(config, log, open);

  const book = new JobBook(startedAtMs);
  const dispatcher = new Dispatcher(book, events);
  const upstream = new Upstream({
    urls: config['node.urls'],
    miner,
    sink: dispatcher,
    events,
    log,
    random: Math.random,
  });
  const sender = new SolutionSender({
    sink: upstream,
    solutions: ledger,
    book,
    source: upstream,
    events,
    log,
  });
  open.add('node connections', () => upstream.close());
  open.add('solutions', () => sender.close(SOLUTION_GRACE_MS));
  const judge = createJudge({
    book,
    shares,
    sendSolution: (solution) => sender.send(solution),
    clock: CLOCK,
  });

  const sources: SummarySources = {
    version: readVersion(),
    startedAtMs,
    tally,
    nodes: () => upstream.reports,
    liveJobs: () => book.liveJobs,
    pendingSolutions: () => sender.pending,
    queue: queueStats,
    ledger: () => ledger.totals(),
  };
  const web = await startWeb(config, sources, createMetrics(events, sources), log, open);

  let sessions = 0;
  const nextSessionId = (): number => ++sessions;
  const nonces = new NonceSpace(NONCE1_QUARANTINE_MS);
  const cpu = startCpu({
    mode: config['cpu.mode'],
    account: miner.account,
    threads: config['cpu.threads'] || Math.max(1, availableParallelism() - 1),
    kernel: chooseKernel(undefined, log),
    judge,
    nonces,
    events,
    clock: CLOCK,
    log,
    nextSessionId,
  });
  open.add('CPU', () => cpu.close());
  tellOfRigs(cpu, tally, events);

  const rigs = await startRigs(config, {
    judge,
    nonceSpace: nonces,
    clock: CLOCK,
    events,
    log,
    nextSessionId,
  });
  open.add('rigs', () => rigs.close());

  dispatcher.addSink(rigs);
  dispatcher.addSink(cpu);
  upstream.start();

  return {
    addresses: { ...rigs.addresses, ...(web ? { web: web.url } : {}) },
    tally,
    summary: () => summarize(sources),
    cpuHashesPerSecond: () => cpu.hashesPerSecond().reduce((sum, rate) => sum + rate, 0),
    close: () => open.close(log),
  };
}

interface Books {
  readonly ledger: Ledger;
  readonly shares: ShareLog;
  readonly queueStats: SummarySources['queue'];
}

/** Database, ledger, recorder and queue, in the order in which each needs the one before. */
async function openBooks(config: BridgeConfig, log: Log, open: CloseStack): Promise<Books> {
  const { dataDir } = config;
  const lock = await lockFolder(dataDir, 'bridge');
  open.add('data directory', () => lock.release());
  const databaseUrl = config['ledger.databaseUrl'] || (await startDatabase(dataDir, log, open));
  const ledger = await openLedger({ connectionString: databaseUrl, log });
  open.add('ledger', () => ledger.close());
  const redisUrl = config['queue.redisUrl'];
  const connection: QueueConnection = redisUrl
    ? { backend: 'redis', url: redisUrl }
    : { backend: 'postgres', connectionString: databaseUrl };
  const recorder = startShareRecorder({ connection, ledger, log });
  open.add('recorder', () => recorder.close());
  const shares = await openShareQueue({ connection, dataDir, log, newProducerId: randomUUID });
  open.add('share queue', () => shares.close());
  return { ledger, shares, queueStats: () => shares.stats() };
}

async function startDatabase(dataDir: string, log: Log, open: CloseStack): Promise<string> {
  const embedded = await startEmbeddedPostgres({ dataDir, log });
  open.add('embedded PostgreSQL', () => embedded.close());
  return embedded.connectionString;
}

async function startWeb(
  config: BridgeConfig,
  sources: SummarySources,
  metrics: Registry,
  log: Log,
  open: CloseStack,
): Promise<WebServer | undefined> {
  const address = config['web.listen'];
  if (address === 'off') return undefined;
  const web = await startWebServer({ ...address, sources, metrics, log });
  open.add('web', () => web.close());
  return web;
}

type StratumParts = Omit<StratumServerOptions, 'tcp' | 'ws' | 'shareDifficulty'>;

async function startRigs(config: BridgeConfig, parts: StratumParts): Promise<StratumServer> {
  const listening = (address: ListenAddress | 'off'): ListenAddress | undefined =>
    address === 'off' ? undefined : address;
  return startStratumServer({
    ...parts,
    tcp: listening(config['stratum.tcp']),
    ws: listening(config['stratum.ws']),
    shareDifficulty: config['stratum.shareDifficulty'],
  });
}

/** `cpu.mode` fallback mines only while no rig is connected. */
function tellOfRigs(cpu: Cpu, tally: Tally, events: BridgeEvents): void {
  const tell = (): void => cpu.rigsConnected(tally.sessions);
  events.on('sessionOpened', tell);
  events.on('sessionClosed', tell);
}
