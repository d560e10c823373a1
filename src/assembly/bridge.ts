/** The whole bridge, built and wired: each part from those before it. What `serve` and `demo` run. */

import type { JobSink } from '../bridge/ports.js';
import { SessionCounts } from '../bridge/session-counts.js';
import type { EventRecorder } from '../bridge/timeline/timeline.js';
import type { RigWatch } from '../bridge/watch/rig-watch.js';
import { OF_COMMAND, type SettingsWatch } from '../bridge/watch/settings-watch.js';
import type { CloseStack } from '../cli/service/stop.js';
import type { BridgeConfig } from '../config/settings.js';
import type { Log } from '../core/names/log.js';
import type { Cpu, CpuOptions } from '../cpu/options.js';
import { OrderExchange } from '../ledger/orders/exchange.js';
import type { Miner } from '../node-client/client.js';
import type { RigOrderHandlers } from '../operations/orders/rig-orders.js';
import type { Summary } from '../operations/state.js';
import type { OpenPort } from '../stratum/admission/ports.js';
import { type SummarySources, summarize, summarizeAll } from '../web/state/summary.js';
import type { Tally } from '../web/state/tally.js';
import { type Alerts, openAlerts } from './alerts.js';
import { bookOrdersOf } from './books/book-orders.js';
import { type Books, openBooks } from './books/books.js';
import { shipLeftLogs } from './books/left-logs.js';
import { setAsideOf } from './books/set-aside.js';
import { type Chains, openChains } from './chains/chains.js';
import { type Jobs, makeJobs } from './chains/jobs.js';
import { workByNumber } from './chains/work-by-number.js';
import { WALL_CLOCK } from './clocks.js';
import { concerning } from './failures.js';
import { alone, type Machine } from './machine.js';
import { openPayer } from './payouts/payer.js';
import { atAllBridges } from './rigs/all-bridges.js';
import { blockMakingOf, startCpu } from './rigs/cpu.js';
import { keepForNext, readFormer } from './rigs/former-rigs.js';
import type { Key } from './rigs/live-settings.js';
import { drainOf } from './rigs/machine-drain.js';
import { type Mining, miningOf } from './rigs/mining.js';
import { openOrders } from './rigs/orders.js';
import { workOnAsMany } from './rigs/rig-count.js';
import { makeRigs, type RigParts, type Rigs } from './rigs/rigs.js';
import { makeSite, type Site } from './site.js';
import { emptiedBy } from './watch/emptied.js';
import { logEvents } from './watch/event-log.js';
import { withRules } from './watch/settings.js';
import { lifeOf, startSignsOfLife } from './watch/signs-of-life.js';
import { countEvents, sourcesOf } from './watch/sources.js';
import { startWeb, type Web } from './watch/web.js';

export interface Bridge {
  /** As really bound: those of rigs, also while they are closed because there is no work, and the web's URL. */
  readonly ports: readonly OpenPort[];
  readonly webUrl: string | undefined;
  /** Opens the page and signs in; absent where the web is off. */
  readonly makeLink: Web['makeLink'];
  readonly tally: Tally;
  readonly watch: RigWatch;
  readonly timeline: EventRecorder;
  readonly operator: RigOrderHandlers;
  /** Resolves with the reason when the bridge is to end: a drain has come to its end, or another ledger answers. */
  readonly emptied: Promise<string>;
  summary(): Promise<Summary>;
  /** Of all bridges on the ledger. */
  summaryOfAll(): Promise<Summary>;
  /** What the CPU threads measure themselves. */
  cpuHashRate(): ReturnType<NonNullable<Cpu['hashRate']>> | undefined;
  /** Takes what may change while it runs; resolves with the settings that are in force now, as far as they were others before. */
  applyLive(config: BridgeConfig): Promise<readonly Key[]>;
}

/** What a start knows beside its settings. */
interface StartParts {
  /** For who looks at them over HTTP, and orders that they be read again. */
  readonly settings?: SettingsWatch | undefined;
  /** Absent: this bridge is alone. */
  readonly machine?: Machine;
  /** Whom the CPU works for; absent: whom blocks pay. */
  readonly cpuAccount?: string;
}

/**
 * Starts all parts.
 *
 * @param open closes those that stand, the last first, also after a failure.
 */
export async function startBridge(
  config: BridgeConfig,
  miner: Miner,
  log: Log,
  open: CloseStack,
  { settings, machine = alone(), cpuAccount = miner.account }: StartParts = {},
): Promise<Bridge> {
  const startedAtMs = WALL_CLOCK.nowMs();
  const site = await makeSite(config, log, open, machine);
  const counts = countEvents(site, startedAtMs);
  logEvents(site.events, log);
  const books = await openBooks(site, whatIsSet(settings));
  const former = await concerning('dataDir', () => readFormer(site.folder, log));
  const jobs = makeJobs(startedAtMs, books.instance, site, former);
  const sessionCounts = new SessionCounts();
  const chains = openChains(site, miner, books, jobs, sessionCounts);
  const { upstream, sender } = chains;
  const mining = miningOf(jobs, { ...books, sender });
  // Before the CPU: what rigs of the last start may come back to is not leased to it.
  const rigs = await rigsOf(site, mining, jobs, upstream, { sessionCounts, former, books });
  const mines = workOnAsMany(config, upstream, counts.tally, site.events);
  const cpu = mineHere(site, mining, { account: cpuAccount, mines }, chains, jobs);
  let web: Web | undefined;
  const judged = sourcesOf(site, counts, books, jobs, chains, rigs);
  const alerts = openAlerts(site, books, judged);
  const sources = { ...judged, alerts: alerts.view, webUrl: () => web?.url };
  await openPayer(site, books.ledger, upstream);
  const drain = drainOf(machine, rigs.server.operator, rigs.server.watch);
  const operator = { ...atAllBridges(site, books, rigs.server.operator), ...drain };
  const orders = { operator, ...ordersToBooks(site, books, upstream), drain };
  const shown = settings && withRules(settings, books.rulesWatch.inForce);
  web = await startWeb(site, sources, { makeBlocks: blockMakingOf(cpu), settings: shown, ...orders });
  await rigs.check();
  await begin(site, books.instance, jobs, upstream, [rigs.server.jobs, cpu]);
  await rigs.listen();
  tellOfLife(site, sources, books.bridges);
  shipLeftLogs(site, books, upstream);
  const parts = { rigs, web, cpu, alerts };
  return bridgeOf(parts, sources, { timeline: books.timeline, emptied: endOf(site, books) });
}

async function rigsOf(
  site: Site,
  mining: Mining,
  { roller, book }: Jobs,
  upstream: Chains['upstream'],
  { books, ...parts }: Pick<RigParts, 'sessionCounts' | 'former'> & { readonly books: Books },
): Promise<Rigs> {
  const { folder, log, open } = site;
  const orders = await concerning('dataDir', () => openOrders(folder, log));
  const sharing = new OrderExchange({ ledger: books.ledger, untold: orders.kept.untold, log });
  const rigs = await makeRigs(site, mining, {
    ...{ jobs: roller, ...parts, ...orders, sharing },
    handsOut: (chainId) => upstream.handsOut(chainId),
    whyReleased: () => upstream.whyReleased,
    others: () => books.bridges.others,
    keepRigs: (kept) => keepForNext(folder, { jobs: book.kept, rigs: kept }, log),
  });
  sharing.begin(rigs.server.operator);
  open.add('orders of all bridges', () => sharing.close());
  return rigs;
}

/** Nodes are asked for work, which is handed to these. */
async function begin(
  site: Site,
  instance: Books['instance'],
  jobs: Jobs,
  upstream: Chains['upstream'],
  sinks: readonly JobSink[],
): Promise<void> {
  for (const sink of sinks) jobs.dispatcher.addSink(sink);
  workByNumber(site, instance, jobs, upstream);
  await upstream.firstWork(FIRST_WORK_MS);
}

/** A start that has no work by then goes on, and rigs are let in once there is some. */
const FIRST_WORK_MS = 5_000;

/** Why the bridge ends by itself. */
function endOf({ events }: Site, { shares }: Books): Promise<string> {
  return Promise.race([emptiedBy(events), shares.refused.then(({ message }) => message)]);
}

function ordersToBooks(site: Site, books: Books, upstream: Chains['upstream']) {
  const { ledger, queueConnection } = books;
  return {
    signers: books.instance,
    payouts: bookOrdersOf(books, upstream),
    setAside: setAsideOf(ledger.pool, queueConnection, site.log),
  };
}

function mineHere(
  site: Site,
  mining: Mining,
  parts: Pick<CpuOptions, 'account' | 'mines'>,
  { upstream, sender }: Chains,
  jobs: Jobs,
): Cpu {
  return startCpu(site, mining, {
    ...parts,
    jobs: jobs.roller,
    send: (solution) => sender.send(solution),
    wantChain: (chainId) => upstream.wantChain(chainId),
  });
}

/** Whether somebody has set a key: it is no default. */
function whatIsSet(settings: SettingsWatch | undefined): (key: string) => boolean {
  const set = settings?.settings().filter(({ source }) => source !== 'default' && source !== OF_COMMAND);
  return (key) => set?.some((each) => each.key === key) ?? false;
}

/** To the log, and to the other bridges. */
function tellOfLife({ log, open }: Site, sources: SummarySources, bridges: Books['bridges']): void {
  const life = startSignsOfLife(async () => lifeOf(await summarize(sources)), log);
  open.add('signs of life', () => life.close());
  bridges.begin(async () => ({ summary: await summarize(sources), ...(await sources.rigs.here()) }));
}

interface Parts {
  readonly rigs: Rigs;
  readonly web: Web;
  readonly cpu: Cpu;
  readonly alerts: Alerts;
}

function bridgeOf(
  { rigs: { server, applyLive }, web, cpu, alerts }: Parts,
  sources: SummarySources,
  { timeline, emptied }: Pick<Bridge, 'timeline' | 'emptied'>,
): Bridge {
  const { version } = sources;
  timeline.record('started', { version });
  return {
    ports: server.allPorts,
    webUrl: web.url,
    makeLink: web.makeLink,
    tally: sources.tally,
    ...{ watch: server.watch, operator: server.operator },
    emptied,
    summary: () => summarize(sources),
    summaryOfAll: () => summarizeAll(sources),
    cpuHashRate: () => cpu.hashRate?.(),
    applyLive: async (config) => [
      ...(await applyLive(config)),
      ...(await web.applyLive(config)),
      ...alerts.applyLive(config),
    ],
    timeline,
  };
}
