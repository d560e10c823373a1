/** Alerts, from the settings: who looks, who keeps them, and who brings notices to their targets. */
import { randomUUID } from 'node:crypto';
import { Deliveries } from '../alerts/deliveries.js';
import { AlertKeeper } from '../alerts/keeper.js';
import { KnownAlerts } from '../alerts/known.js';
import { openPost } from '../alerts/post.js';
import { type SnapshotSources, Snapshots } from '../alerts/snapshot.js';
import type { AlertsView } from '../bridge/alerts.js';
import type { BridgeConfig } from '../config/settings.js';
import { alertBook } from '../ledger/alerts/alert-book.js';
import type { SummarySources } from '../web/state/summary.js';
import type { Books } from './books/books.js';
import { STEADY_CLOCK, WALL_CLOCK } from './clocks.js';
import type { Key } from './rigs/live-settings.js';
import type { Site } from './site.js';

export interface Alerts {
  readonly view: AlertsView;
  /** All of its settings may change while it runs. */
  applyLive(config: BridgeConfig): readonly Key[];
}

export function openAlerts(
  { config, folder, log, open }: Site,
  {
    ledger: { pool },
    queueConnection: connection,
    timeline,
  }: Pick<Books, 'ledger' | 'queueConnection' | 'timeline'>,
  sources: SnapshotSources & Pick<SummarySources, 'rigs' | 'tally'>,
): Alerts {
  let settings = config;
  const book = alertBook(pool);
  const { post, close } = openPost();
  const keeper = new AlertKeeper({
    ...{ book, log, run: randomUUID(), nowMs: WALL_CLOCK.nowMs, steadyMs: STEADY_CLOCK.nowMs },
    settings: () => settings,
    deliveries: new Deliveries({ connection, post, log }),
    known: new KnownAlerts(folder, log),
    snapshots: new Snapshots(sources, book, STEADY_CLOCK.nowMs, log),
    rigsHeard: () => sources.rigs.online(),
    isIdle: () => config['cpu.mode'] === 'off' && sources.tally.sessions === 0,
  });
  open.add('alerts', async (withinMs) => {
    await keeper.close(withinMs);
    await close();
  });
  timeline.onGrown(() => keeper.soon());
  keeper.start();
  return {
    view: keeper,
    applyLive: (next) => {
      settings = next;
      keeper.apply();
      return keysOf(next);
    },
  };
}

function keysOf(config: BridgeConfig): Key[] {
  return (Object.keys(config) as Key[]).filter((key) => key.startsWith('alerts.'));
}
