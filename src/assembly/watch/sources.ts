/** Where summary and metrics take their numbers from. */

import { readVersion } from '../../config/version.js';
import type { ShareQueue } from '../../queue/share-queue.js';
import { Freshness } from '../../web/state/freshness.js';
import { LastKnown } from '../../web/state/last-known.js';
import type { QueueStats, SummarySources } from '../../web/state/summary.js';
import { Tally } from '../../web/state/tally.js';
import { watchSigns } from '../alerts/alert-signs.js';
import type { Books } from '../books/books.js';
import type { Chains } from '../chains/chains.js';
import type { Jobs } from '../chains/jobs.js';
import { STEADY_CLOCK } from '../clocks.js';
import type { Rigs } from '../rigs/rigs.js';
import type { Site } from '../site.js';
import { watchOwnProcess } from './own-process.js';

/** What is counted from the first event on. */
export type Counts = Pick<SummarySources, 'startedAtMs' | 'tally' | 'freshness'>;

export function countEvents({ events }: Site, startedAtMs: number): Counts {
  return {
    startedAtMs,
    tally: new Tally(events, STEADY_CLOCK),
    freshness: new Freshness(events, STEADY_CLOCK),
  };
}

/** All but the alerts, which are judged by these. */
export type SourcesOfAll = Omit<SummarySources, 'alerts'>;

export function sourcesOf(
  site: Site,
  counts: Counts,
  { instance, ledger, rulesWatch, watch, queueStats, timeline, shares }: Books,
  { book }: Jobs,
  { upstream, sender }: Chains,
  { watch: rigs, doors, fronts, held }: Rigs,
): SourcesOfAll {
  const { config, events } = site;
  const own = watchOwnProcess(site);
  return {
    ...counts,
    version: readVersion(),
    instance: () => instance.number,
    nodes: () => upstream.reports,
    liveJobs: () => book.liveJobs,
    pendingSolutions: () => sender.pending,
    rigs,
    doors,
    processes: () => {
      const [all, { logBytes, unshipped }] = [fronts(), shares.held];
      const kind = all.length > 0 ? 'hub' : 'bridge';
      const sessions = kind === 'hub' ? 0 : rigs.counts().sessions;
      return [{ ...own(), kind, number: 0, state: 'up', sessions, logBytes, unshipped }, ...all];
    },
    books: watch,
    queue: new LastKnown(async () => withHeld(await queueStats(), held?.())),
    ledger: new LastKnown(() => ledger.totals()),
    differingRules: rulesWatch.differing,
    timeline,
    signs: watchSigns({
      ...{ events, config: () => config, clock: STEADY_CLOCK },
      nodes: () => upstream.reports,
    }),
  };
}

/** With what waits in the share logs of fronts. */
function withHeld(stats: QueueStats, held: ShareQueue['held'] | undefined): QueueStats {
  if (!held) return stats;
  const { unshipped = 0, oldestMs = 0, logBytes = 0, heldBack } = stats;
  return {
    ...stats,
    // While the queue takes none of the hub's, it takes none of theirs.
    heldBack: heldBack === 0 ? 0 : heldBack + held.unshipped,
    unshipped: unshipped + held.unshipped,
    oldestMs: Math.max(oldestMs, held.oldestMs),
    logBytes: logBytes + held.logBytes,
  };
}
