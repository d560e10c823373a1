/** Where summary and metrics take their numbers from. */

import { watchSigns } from '../../alerts/signs.js';
import { readVersion } from '../../config/version.js';
import { ALL_CHAINS, followingOf } from '../../operations/books/chains.js';
import { Freshness } from '../../web/state/freshness.js';
import { LastKnown } from '../../web/state/last-known.js';
import type { SummarySources } from '../../web/state/summary.js';
import { Tally } from '../../web/state/tally.js';
import type { Books } from '../books/books.js';
import type { Chains } from '../chains/chains.js';
import type { Jobs } from '../chains/jobs.js';
import { STEADY_CLOCK } from '../clocks.js';
import type { Rigs } from '../rigs/rigs.js';
import { bridgePlace, type Site } from '../site.js';
import { termsOf } from './terms.js';

/** What is counted from the first event on. */
type Counts = Pick<SummarySources, 'startedAtMs' | 'tally' | 'freshness'>;

export function countEvents({ events }: Site, startedAtMs: number): Counts {
  return {
    startedAtMs,
    tally: new Tally(events, STEADY_CLOCK),
    freshness: new Freshness(events, STEADY_CLOCK),
  };
}

/** All but the alerts, which are judged by these, and the web, which shows them. */
type SourcesOfAll = Omit<SummarySources, 'alerts' | 'webUrl'>;

export function sourcesOf(
  site: Site,
  counts: Counts,
  { instance, ledger, bridges, rulesWatch, watch, queueStats, timeline }: Books,
  { book }: Jobs,
  { upstream, sender }: Chains,
  { server, listeners }: Rigs,
): SourcesOfAll {
  const { config, events } = site;
  return {
    ...counts,
    version: readVersion(),
    instance: () => instance.number,
    self: () => (site.machine.isOneOfSeveral ? (instance.number ?? null) : null),
    place: bridgePlace(site),
    bridges,
    nodes: () => upstream.reports,
    whyReleased: () => upstream.whyReleased,
    liveJobs: () => book.liveJobs,
    pendingSolutions: () => sender.pending,
    rigs: server.watch,
    listeners,
    books: watch,
    queue: new LastKnown(queueStats),
    ledger: new LastKnown(() => ledger.totals()),
    following: new LastKnown(async () =>
      followingOf((await watch.listed('chains', ALL_CHAINS))?.items ?? []),
    ),
    title: () => config['web.title'],
    development: config['node.development'],
    terms: (isForDevelopment) => termsOf(rulesWatch.inForce(), isForDevelopment),
    differingRules: rulesWatch.differing,
    timeline,
    signs: watchSigns({
      ...{ events, settings: config, clock: STEADY_CLOCK },
      nodes: () => upstream.reports,
    }),
  };
}
