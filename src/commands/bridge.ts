/** The whole bridge, built and wired on one page. What `serve` and `demo` run. */
import type { Registry } from 'prom-client';
import { Dispatcher } from '../bridge/dispatcher.js';
import { type BridgeEvents, createBridgeEvents, type NodeReport } from '../bridge/events.js';
import { JobRoller, residueOfInstance } from '../bridge/job-roller.js';
import { createJudge } from '../bridge/judge.js';
import type { Clock, SolutionSink } from '../bridge/ports.js';
import type { RigWatch } from '../bridge/rig-watch.js';
import { SolutionSender } from '../bridge/solution-sender.js';
import type { BridgeConfig } from '../config/settings.js';
import type { ListenAddress } from '../config/values.js';
import { readVersion } from '../config/version.js';
import { JOB_BOOK_LIMITS, JobBook } from '../core/job.js';
import type { Log } from '../core/log.js';
import { NonceSpace } from '../core/nonce.js';
import type { Solution } from '../core/share.js';
import { type BlockFollower, startBlockFollower } from '../ledger/block-follower.js';
import { type Clients, createChainReader, HeaderWatch } from '../node/chain-reader.js';
import type { Miner } from '../node/client.js';
import { Upstream } from '../node/upstream.js';
import type { ShareQueue } from '../queue/share-queue.js';
import type { SolutionJournal } from '../queue/solution-journal.js';
import { Freshness } from '../web/freshness.js';
import { LastKnown } from '../web/last-known.js';
import { createMetrics } from '../web/metrics.js';
import { type Answer, startWebServer } from '../web/server.js';
import { type Summary, type SummarySources, summarize } from '../web/summary.js';
import { Tally } from '../web/tally.js';
import { rewardRulesFrom } from './book-settings.js';
import { type Books, openBooks, waitingWords } from './books.js';
import { logEvents } from './event-log.js';
import { concerning } from './failures.js';
import type { Instance } from './instance.js';
import { blockMakingOf, startMiners } from './miners.js';
import { nodeConnectionFrom } from './node-connection.js';
import { tellOfRigs, workOnAsMany } from './rig-count.js';
import { startRigs } from './rigs.js';
import { lifeOf, startSignsOfLife } from './signs-of-life.js';
import type { CloseStack } from './stop.js';

export interface Bridge {
  /** As really bound. */
  readonly addresses: { readonly tcp?: ListenAddress; readonly ws?: ListenAddress; readonly web?: string };
  readonly tally: Tally;
  readonly watch: RigWatch;
  summary(): Promise<Summary>;
  /** What the CPU threads measure themselves. */
  cpuHashesPerSecond(): number;
}

/** The time of day: what is written into books. */
const WALL_CLOCK: Clock = { nowMs: () => Date.now() };
/** Never jumps, whatever happens to the time of day: for all that measures how long something took. */
const STEADY_CLOCK: Clock = { nowMs: () => performance.timeOrigin + performance.now() };
/** A released nonce1 rests for as long as a job may live: nodes forget a work 330 s after they last handed it out. */
const NONCE1_QUARANTINE_MS = 330_000;
/** Posts under way at the end get this long. */
const SOLUTION_GRACE_MS = 2_000;

/** Starts all parts; `open` closes those that stand, also after a failure. */
export async function startBridge(
  config: BridgeConfig,
  miner: Miner,
  log: Log,
  open: CloseStack,
): Promise<Bridge> {
  const startedAtMs = WALL_CLOCK.nowMs();
  const events = createBridgeEvents();
  const tally = new Tally(events, STEADY_CLOCK);
  const freshness = new Freshness(events, STEADY_CLOCK);
  logEvents(events, log);

  const { ledger, instance, shares, journal, queueStats } = await openBooks(config, log, open);
  countRejections(events, shares);

  const book = new JobBook(
    startedAtMs,
    JOB_BOOK_LIMITS,
    residueOfInstance(instance.number ?? 0),
    STEADY_CLOCK.nowMs,
  );
  const dispatcher = new Dispatcher(book, events, {
    handedOut: (work, node) => sender.handedOut(work, node),
  });
  /** Of sessions by chain, once there is a server. */
  let crowds: ReadonlyMap<number, number> | undefined;
  const upstream = new Upstream({
    urls: config['node.urls'],
    network: config['node.network'],
    miner,
    connect: nodeConnectionFrom(config),
    sink: dispatcher,
    events,
    log,
    random: Math.random,
    crowdOn: (chainId) => crowds?.get(chainId) ?? 0,
  });
  const sender: SolutionSender = new SolutionSender({
    sink: upstream,
    solutions: {
      recordSolution: async (solution, state, detail) => {
        await journal.recordSolution(solution, state, detail);
        follower.lookForNew();
      },
    },
    book,
    source: upstream,
    events,
    log,
    untilReachedMs: (job) => roller.untilReachedMs(job),
  });
  open.add('node connections', () => upstream.close());
  open.add('solutions', () => sender.close(SOLUTION_GRACE_MS));
  const sendSolution = (solution: Solution): void => sender.send(solution);
  const follower = followBlocks(config, { ledger, queueStats }, upstream, log, open);
  resumeSolutions(journal, upstream, follower, events, log);
  const judge = createJudge({ book, shares, sendSolution, clock: WALL_CLOCK });

  let sessions = 0;
  const common = { judge, events, log, clock: STEADY_CLOCK, nextSessionId: () => ++sessions };
  const nonces = new NonceSpace(NONCE1_QUARANTINE_MS);
  const wantChain = (chainId: number): void => upstream.wantChain(chainId);
  const cpu = startMiners(config, {
    ...common,
    account: miner.account,
    nonces,
    send: sendSolution,
    wantChain,
  });
  open.add('CPU', () => cpu.close());
  tellOfRigs(cpu, tally, events);

  let watch: RigWatch | undefined;
  const sources: SummarySources = {
    version: readVersion(),
    startedAtMs,
    instance: () => instance.number,
    tally,
    freshness,
    nodes: () => upstream.reports,
    liveJobs: () => book.liveJobs,
    pendingSolutions: () => sender.pending,
    rigs: () => watch,
    queue: new LastKnown(queueStats),
    ledger: new LastKnown(() => ledger.totals()),
  };
  const web = await startWeb(config, sources, createMetrics(events, sources), blockMakingOf(cpu), log, open);

  const roller = new JobRoller(book, STEADY_CLOCK);
  const handsOut = (chainId: number): boolean => upstream.handsOut(chainId);
  const rigs = await startRigs(config, { ...common, nonceSpace: nonces, jobs: roller, handsOut }, open);
  watch = rigs.watch;
  crowds = rigs.sessionsByChain;

  dispatcher.addSink(roller);
  dispatcher.addSink(rigs);
  dispatcher.addSink(cpu);
  workOnAsMany(config, upstream, tally, events);
  followNumber(instance, book, dispatcher, upstream, open);
  const life = startSignsOfLife(async () => lifeOf(await summarize(sources)), log);
  open.add('signs of life', () => life.close());

  return {
    addresses: { ...rigs.addresses, ...(web ? { web } : {}) },
    tally,
    watch: rigs.watch,
    summary: () => summarize(sources),
    cpuHashesPerSecond: () => cpu.hashesPerSecond().reduce((sum, rate) => sum + rate, 0),
  };
}

/**
 * Rigs get no job before the bridge has its number, and new ones at once when it has another: another bridge may search the
 * nonces of the jobs that they have.
 */
function followNumber(
  instance: Instance,
  book: JobBook,
  dispatcher: Dispatcher,
  upstream: Pick<Upstream, 'start'>,
  open: CloseStack,
): void {
  let state: 'new' | 'started' | 'stopping' = 'new';
  open.add('work by number', () => {
    state = 'stopping';
  });
  instance.onNumber((number) => {
    if (state === 'stopping') return;
    book.moveTo(residueOfInstance(number));
    if (state === 'new') upstream.start();
    else dispatcher.renewJobs();
    state = 'started';
  });
}

function countRejections(events: BridgeEvents, shares: ShareQueue): void {
  events.on('submit', ({ outcome, account, rig, claimed: work = 0n }) => {
    if (outcome !== 'accepted')
      shares.countRejection({ account, rig, reason: outcome, atMs: WALL_CLOCK.nowMs(), work });
  });
}

/** Sees what becomes of each solution on its chain: by the nodes' header streams, and by asking. */
function followBlocks(
  config: BridgeConfig,
  { ledger, queueStats }: Pick<Books, 'ledger' | 'queueStats'>,
  upstream: Upstream,
  log: Log,
  open: CloseStack,
): BlockFollower {
  const clients: Clients = () => upstream.clients();
  const chain = createChainReader(clients, config['node.urls'].length);
  const rules = rewardRulesFrom(config);
  const follower = startBlockFollower({
    ...{ pool: ledger.pool, chain, rules, log },
    waiting: () => waitingWords(queueStats),
  });
  open.add('block follower', () => follower.close());
  const watch = new HeaderWatch(config['node.urls'], clients, follower, log);
  open.add('header streams', () => watch.close());
  return follower;
}

/** Once a node can be asked, solutions whose post a crash cut off are posted again. */
function resumeSolutions(
  journal: SolutionJournal,
  sink: SolutionSink,
  follower: BlockFollower,
  events: BridgeEvents,
  log: Log,
): void {
  const resume = ({ state }: NodeReport): void => {
    if (state !== 'healthy') return;
    events.off('node', resume);
    journal
      .resume(sink, WALL_CLOCK.nowMs)
      .then(() => follower.lookForNew())
      .catch((error: Error) => {
        log.error({ error: error.message }, 'solutions of an earlier run could not be settled');
      });
  };
  events.on('node', resume);
}

/** Resolves with the address, if there is one. */
async function startWeb(
  config: BridgeConfig,
  sources: SummarySources,
  metrics: Registry,
  makeBlocks: ((body: unknown) => Promise<Answer>) | undefined,
  log: Log,
  open: CloseStack,
): Promise<string | undefined> {
  const address = config['web.listen'];
  if (address === 'off') return undefined;
  const web = await concerning('web.listen', () =>
    startWebServer({ ...address, sources, metrics, makeBlocks, log }),
  );
  open.add('web', () => web.close());
  return web.url;
}
