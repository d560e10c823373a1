/** Alerts, from the settings: who looks, who keeps them, and who brings notices to their targets. */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AlertsView } from '../../bridge/alerts/alerts.js';
import type { BridgeConfig } from '../../config/settings.js';
import { alertBook } from '../../ledger/alerts/alert-book.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { SendNow } from '../../web/alerts/away-alerts.js';
import { Courier } from '../../web/alerts/courier.js';
import { Deliverer } from '../../web/alerts/deliverer.js';
import { postingOf } from '../../web/alerts/forms.js';
import { AlertKeeper } from '../../web/alerts/keeper.js';
import { STEADY_CLOCK, WALL_CLOCK } from '../clocks.js';
import type { Key } from '../rigs/live-settings.js';
import type { Site } from '../site.js';
import { alertRulesFrom } from './alert-rules.js';
import { type SnapshotSources, Snapshots } from './alert-snapshot.js';
import { knownAlerts } from './known-alerts.js';

export interface Alerts {
  readonly view: AlertsView;
  /** All of its settings may change while it runs. */
  applyLive(config: BridgeConfig): readonly Key[];
}

export function openAlerts(site: Site, { pool }: Pick<Ledger, 'pool'>, sources: SnapshotSources): Alerts {
  const { log, open } = site;
  let rules = alertRulesFrom(site.config);
  const book = alertBook(pool);
  const courier = new Courier();
  const shared = { book, rules: () => rules, log, nowMs: WALL_CLOCK.nowMs };
  const deliverer = new Deliverer({ ...shared, courier });
  const now = sendWithout(courier, log);
  const snapshots = new Snapshots(sources, book);
  const keeper = new AlertKeeper({
    ...shared,
    ...{ deliverer, sendNow: now.send, run: randomUUID(), steadyMs: STEADY_CLOCK.nowMs },
    known: knownAlerts(site.config.dataDir, log),
    snapshot: (inForce) => snapshots.take(inForce),
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
      rules = alertRulesFrom(next);
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
function sendWithout(courier: Courier, log: Site['log']): { send: SendNow; stop(): void } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const send: SendNow = (target, notice) => {
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
