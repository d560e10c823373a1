/** A front: the rigs' side of a bridge in a process of its own, with a share log of its own. */
import { Crowds } from '../../bridge/crowds.js';
import { createBridgeEvents } from '../../bridge/events.js';
import type { HubDesk, PlainSolution } from '../../bridge/fleet/ports.js';
import type { FleetState } from '../../bridge/fleet/state.js';
import { residueOfInstance } from '../../bridge/job-roller.js';
import type { Clock, JobSink } from '../../bridge/ports.js';
import type { CloseStack } from '../../cli/service/stop.js';
import { jobNumbersOf } from '../../core/jobs/job.js';
import type { Log } from '../../core/names/log.js';
import type { HandOver } from '../../fleet/channel/sockets-wire.js';
import { steadyMs } from '../../fleet/channel/steady.js';
import { Evening } from '../../fleet/front/evening.js';
import { Overflow } from '../../fleet/front/overflow.js';
import { SolutionsOut, type SolutionsOutParts } from '../../fleet/front/solutions-out.js';
import { WorksIn } from '../../fleet/front/works-in.js';
import { FrontNews } from '../../fleet/watch/front-news.js';
import { lockFolder } from '../../ledger/folder/folder-lock.js';
import type { ShareQueue } from '../../queue/share-queue.js';
import { SolutionPoster } from '../../upstream/solution-posts.js';
import { openShareLog } from '../books/queue.js';
import { type Jobs, makeJobs } from '../chains/jobs.js';
import { nodeConnectionFrom } from '../chains/node-connection.js';
import { STEADY_CLOCK, WALL_CLOCK } from '../clocks.js';
import { concerning } from '../failures.js';
import { keepForNext, readFormer } from '../rigs/former-rigs.js';
import { withInherited } from '../rigs/inherited.js';
import type { Key } from '../rigs/live-settings.js';
import { miningOf } from '../rigs/mining.js';
import { makeRigs, type Rigs } from '../rigs/rigs.js';
import type { Site } from '../site.js';
import { logSessions } from '../watch/event-log.js';
import type { FrontStart } from './life.js';
import { keepSolutions, keptSolutions } from './unsent.js';

export interface RunningFront {
  readonly works: WorksIn;
  readonly overflow: Overflow;
  readonly rigs: Rigs;
  readonly news: FrontNews;
  readonly crowds: Crowds;
  readonly shares: ShareQueue;
  applyLive(config: FrontStart['config']): Promise<readonly Key[]>;
}

/** Solutions under way at the end have this long to be taken. */
const GRACE_MS = 1_000;

export interface FrontParts {
  readonly desk: HubDesk;
  /** What holds over all fronts. */
  readonly state: FleetState;
  readonly log: Log;
  readonly open: CloseStack;
  /** Gives a connection of this port to the hub, which finds a front for it. */
  readonly giveAway: HandOver;
}

/** Resolves once it serves rigs; `open` closes what stands, also after a failure. */
export async function startFront(
  start: FrontStart,
  { desk, state, log, open, giveAway }: FrontParts,
): Promise<RunningFront> {
  const { dataDir } = start;
  const config = withInherited(start.config, new Map(start.sockets));
  const site: Site = { config, log, open, events: createBridgeEvents() };
  logSessions(site.events, log);
  const news = new FrontNews(site.events, { nowMs: steadyMs });
  const lock = await concerning('dataDir', () => lockFolder(dataDir, 'bridge'));
  open.add('data directory', () => lock.release());
  const former = await concerning('dataDir', () => readFormer(dataDir, log));
  const clock = new BooksClock(start.aheadMs);
  const shares = await openShares(site, start, desk, clock);
  const numbers = jobNumbersOf(start.index, WALL_CLOCK.nowMs());
  const jobs = makeJobs(numbers, { number: start.instance }, site, former);
  const { book, roller, dispatcher } = jobs;
  const poster = openPoster(site);
  const untilReachedMs: RollerWait = (job) => roller.untilReachedMs(job);
  const solutions = await openSolutions(site, dataDir, { desk, sink: poster, untilReachedMs });
  const works = worksInto(jobs, clock);
  const mining = miningOf(jobs, { shares, clock, sender: solutions }, start.index);
  const crowds = new Crowds();
  const overflow: Overflow = new Overflow({ index: start.index, sessions: () => rigs.server.sessions });
  const rigs: Rigs = await makeRigs(site, mining, {
    ...{ jobs: roller, crowds, former, kept: start.orders },
    fleet: { front: start.index, hub: state },
    handsOut: (chainId) => works.mayBeginOn(chainId),
    givesAway: (...arrival) => overflow.isAbove && giveAway(...arrival),
    keepRigs: (kept) => keepForNext(dataDir, { jobs: book.kept, rigs: kept }, log),
  });
  await rigs.listen();
  evenOut(rigs, overflow, open);
  for (const sink of [rigs.server.jobs, expecting(poster)]) dispatcher.addSink(sink);
  if (start.instance !== undefined) works.number(start.instance);
  return { works, overflow, rigs, news, crowds, shares, applyLive: (changed) => rigs.applyLive(changed) };
}

const EVENING_MS = 1_000;

function evenOut({ server }: Rigs, overflow: Overflow, open: Site['open']): void {
  const surplusOver = (part: number): number => overflow.surplusOver(part);
  const evening = new Evening({ surplusOver, ask: (count) => server.askSome(count), nowMs: steadyMs });
  const timer = setInterval(() => evening.tick(), EVENING_MS);
  open.add('evening out', () => clearInterval(timer));
}

function worksInto({ book, dispatcher, roller }: Jobs, clock: BooksClock): WorksIn {
  return new WorksIn({
    sink: dispatcher,
    aged: (work, ageMs) => roller.aged(work, ageMs),
    moveTo: (number) => book.moveTo(residueOfInstance(number)),
    renewJobs: () => dispatcher.renewJobs(),
    booksClock: (aheadMs) => clock.set(aheadMs),
  });
}

async function openShares(
  site: Site,
  { connection, dataDir, count }: FrontStart,
  desk: HubDesk,
  clock: Clock,
): Promise<ShareQueue> {
  const books = {
    entries: desk,
    ready: Promise.resolve(),
    announce: (producer: string, place: string) => desk.announceProducer(producer, place),
  };
  return openShareLog(site, { connection, dataDir, books, nowMs: () => clock.nowMs(), processes: count });
}

type RollerWait = SolutionsOutParts['untilReachedMs'];

function openPoster({ config, log, open }: Site): SolutionPoster {
  const [urls, connect] = [config['node.urls'], nodeConnectionFrom(config)];
  const poster = new SolutionPoster({ urls, connect, random: Math.random, log });
  open.add('connections for solutions', () => poster.close());
  return poster;
}

/** Whose jobs rigs have may get solutions. */
function expecting(poster: SolutionPoster): JobSink {
  return { offerJob: ({ node }) => poster.expect(node), retireChains: () => undefined };
}

async function openSolutions(
  { log, open }: Pick<Site, 'log' | 'open'>,
  dataDir: string,
  parts: Omit<SolutionsOutParts, 'keep' | 'log'>,
): Promise<SolutionsOut> {
  const keep = (all: readonly PlainSolution[]) => keepSolutions(dataDir, all);
  const solutions = new SolutionsOut({ ...parts, keep, log });
  for (const solution of await concerning('dataDir', () => keptSolutions(dataDir))) solutions.tell(solution);
  open.add('solutions', (withinMs) => solutions.close(Math.min(GRACE_MS, withinMs)), GRACE_MS / 2);
  return solutions;
}

/** The time of the books, as the hub knows it. */
class BooksClock implements Clock {
  #aheadMs: number;

  constructor(aheadMs: number) {
    this.#aheadMs = aheadMs;
  }

  set(aheadMs: number): void {
    this.#aheadMs = aheadMs;
  }

  nowMs(): number {
    return STEADY_CLOCK.nowMs() - this.#aheadMs;
  }
}
