/** Alerts, from the settings: who looks, who keeps them, and who brings notices to their targets. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Courier } from '../alerts/courier.js';
import { Deliverer } from '../alerts/deliverer.js';
import { postingOf } from '../alerts/forms.js';
import { AlertKeeper } from '../alerts/keeper.js';
import { KnownAlerts } from '../alerts/known.js';
import { type SnapshotSources, Snapshots } from '../alerts/snapshot.js';
import { type AlertTarget, isFor } from '../alerts/targets.js';
import type { AlertsView } from '../bridge/alerts.js';
import type { BridgeConfig } from '../config/settings/settings.js';
import { alertBook } from '../ledger/alerts/alert-book.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Notice } from '../operations/alerts.js';
import type { SummarySources } from '../web/state/summary.js';
import { STEADY_CLOCK, WALL_CLOCK } from './clocks.js';
import type { Key } from './rigs/live-settings.js';
import type { Site } from './site.js';

export interface Alerts {
  readonly view: AlertsView;
  /** All of its settings may change while it runs. */
  applyLive(config: BridgeConfig): readonly Key[];
}

export function openAlerts(
  site: Site,
  { pool }: Pick<Ledger, 'pool'>,
  sources: SnapshotSources & Pick<SummarySources, 'rigs'>,
): Alerts {
  const { log, open } = site;
  let settings = site.config;
  const targets = () => settings['alerts.targets'];
  const book = alertBook(pool);
  const courier = new Courier();
  const deliverer = new Deliverer({ book, targets, log, nowMs: WALL_CLOCK.nowMs, courier });
  const now = sendWithout(courier, log);
  const keeper = new AlertKeeper({
    ...{ book, deliverer, log, run: randomUUID(), nowMs: WALL_CLOCK.nowMs, steadyMs: STEADY_CLOCK.nowMs },
    settings: () => settings,
    tellAlone: (alert, what) => {
      const notice: Notice = { v: 1, id: randomUUID(), time: new Date().toISOString(), what, alert };
      for (const target of targets()) if (isFor(target, alert)) now.send(target, notice);
    },
    known: new KnownAlerts(site.config.dataDir, log),
    snapshots: new Snapshots(sources, book, STEADY_CLOCK.nowMs),
    rigsHeard: () => sources.rigs.online(),
  });
  open.add('alerts', async (withinMs) => {
    now.stop();
    await keeper.close(withinMs);
    await courier.close();
  });
  keeper.start();
  return {
    view: keeper,
    applyLive: (next) => {
      settings = next;
      keeper.look();
      return keysOf(next);
    },
  };
}

/** Balances from `payouts.minimum` up are judged by its new value as well, which is no promise of other parts. */
function keysOf(config: BridgeConfig): Key[] {
  return (Object.keys(config) as Key[]).filter((key) => key.startsWith('alerts.'));
}

/** Of what is told while the ledger is away: what is not taken when the bridge stops is lost, and the log has it. */
function sendWithout(courier: Courier, log: Site['log']) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const send = (target: AlertTarget, notice: Notice): void => {
    const tryOn = async (tries: number): Promise<void> => {
      const end = await courier.send(postingOf(target, notice, WALL_CLOCK.nowMs()), { tries, signal });
      const { condition, about } = notice.alert;
      const fields = { event: 'alert-notice', target: target.name, condition, about, outcome: end.outcome };
      if (end.outcome === 'failed' || end.outcome === 'released')
        return log.warn(fields, 'a notice was not taken while the ledger is away, and is given up');
      if (end.outcome === 'delivered') return log.debug(fields, 'a notice was delivered');
      await pause(end.afterMs, undefined, { signal, ref: false });
      return tryOn(tries + 1);
    };
    tryOn(1).catch((error: Error) => {
      if (!signal.aborted) log.error({ error: error.message }, 'a notice could not be sent');
    });
  };
  return { send, stop: () => stopped.abort() };
}
