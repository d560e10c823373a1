/** Looks every few seconds: what a snapshot says, held for a while, goes to the ledger, which decides for all bridges. */
import { setTimeout as pause } from 'node:timers/promises';
import { type AlertBook, type AlertsView, type Finding, keyOfSubject, MANY } from '../bridge/alerts.js';
import { type Log, tellUnanswered } from '../core/names/log.js';
import type { Name } from '../core/names/names.js';
import type { Alert } from '../operations/alerts.js';
import { AwayAlerts, REPEAT_MS } from './away.js';
import { Debounce } from './debounce.js';
import { decide, MOST_OF_A_CONDITION, openingsOf } from './decide.js';
import type { Deliveries } from './deliveries.js';
import { EVENTS, holdOf, judge, switchedOff } from './judge.js';
import type { KnownAlerts } from './known.js';
import { type Bounds, type Snapshots, UNNUMBERED } from './snapshot.js';
import type { AlertTarget } from './targets.js';

export interface AlertSettings extends Bounds {
  readonly 'alerts.targets': readonly AlertTarget[];
}

interface KeeperOptions {
  readonly book: AlertBook;
  readonly deliveries: Deliveries;
  readonly snapshots: Pick<Snapshots, 'take'>;
  /** Rigs that are heard now, in parts: there may be many. */
  readonly rigsHeard: () => AsyncIterable<readonly Name[]>;
  /** In force now. */
  readonly settings: () => AlertSettings;
  readonly known: Pick<KnownAlerts, 'read' | 'write'>;
  /** Nobody mines here: what comes of shares, and counts at once, is not to be looked for. */
  readonly isIdle: () => boolean;
  /** A random UUID that names this start. */
  readonly run: string;
  /** The time of day. */
  readonly nowMs: () => number;
  /** On a clock that nobody sets. */
  readonly steadyMs: () => number;
  readonly log: Log;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 5_000;
/** While nobody mines, all is well, and nothing happens. */
const CALM_MS = 60_000;
/** A ledger that has not taken a look by then is waited for no longer: what this bridge knows is told without it. */
const LOOK_WITHIN_MS = 10_000;
/** A stop waits so long for notices that are on their way. */
const PATIENCE_MS = 1_500;
const PRESENCE_MS = { least: 5_000, most: 60_000 };

export class AlertKeeper implements AlertsView {
  readonly #options: KeeperOptions;
  readonly #debounce = new Debounce();
  /** When the next look of a bridge without rigs is due, on the steady clock. */
  #dueAtMs = Number.NEGATIVE_INFINITY;
  readonly #away: AwayAlerts;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #asking: Promise<unknown> | undefined;
  #isRecalled = false;
  /** As the ledger had it last. */
  #open: readonly Alert[] = [];
  #unansweredSinceMs: number | undefined;
  #presentAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#away = new AwayAlerts((alert, what) => options.deliveries.tellAlone(alert, what), options.nowMs);
  }

  start(): void {
    this.apply();
    this.#timer = setInterval(() => {
      if (!this.#options.isIdle() || this.#options.steadyMs() >= this.#dueAtMs) this.look();
    }, this.#options.intervalMs ?? INTERVAL_MS);
  }

  /** Settings have changed. */
  apply(): void {
    this.#options.deliveries.follow(this.#options.settings()['alerts.targets']);
    this.look();
  }

  /** Something has happened. */
  soon(): void {
    this.#dueAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Returns at once. */
  look(): void {
    this.#looking ??= this.#lookOnce()
      .catch((error: Error) => this.#options.log.error({ error: error.message }, 'a look at alerts failed'))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async close(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    clearInterval(this.#timer);
    const patienceMs = Math.min(PATIENCE_MS, withinMs / 2);
    await Promise.race([this.#looking, pause(patienceMs, undefined, { ref: false })]);
    await this.#options.deliveries.close(patienceMs);
  }

  get tries(): AlertsView['tries'] {
    return this.#options.deliveries.tries;
  }

  targets(): ReturnType<AlertsView['targets']> {
    return this.#options.settings()['alerts.targets'].map(({ name, type }) => ({ name, type }));
  }

  open(): readonly Alert[] {
    return [...this.#away.open, ...this.#open];
  }

  readAlerts: AlertsView['readAlerts'] = (asked) => this.#options.book.readAlerts(asked);

  readTargets: AlertsView['readTargets'] = () => this.#options.deliveries.reports();

  async #lookOnce(): Promise<void> {
    const { snapshots, steadyMs } = this.#options;
    const settings = this.#options.settings();
    this.#dueAtMs = steadyMs() + CALM_MS;
    await this.#recall();
    const open = this.open();
    const keys = new Set(open.map(keyOfSubject));
    const offline = open.filter(({ condition, about }) => condition === 'rigOffline' && about !== MANY);
    const seen = await snapshots.take(
      settings,
      offline.map(({ about }) => about),
    );
    const hasNumber = seen.bridge !== UNNUMBERED;
    if (hasNumber) this.#away.rename(UNNUMBERED, seen.bridge);
    const found = judge(seen, settings, (condition, about) => keys.has(keyOfSubject({ condition, about })));
    const findings = this.#debounce.settle(found, steadyMs());
    // What the ledger keeps under a name that nobody bears soon would stay open.
    const isTaken = hasNumber && seen.isLedgerUp && (await this.#tellLedger(findings, settings));
    if (!isTaken) this.#tellAlone(findings);
    await this.#options.known.write(this.open());
    if (!isTaken || this.open().length > 0 || found.some(({ isBad }) => isBad)) this.soon();
  }

  /** What a bridge before this one knew: it is not told anew where the ledger is away. */
  async #recall(): Promise<void> {
    if (this.#isRecalled) return;
    this.#isRecalled = true;
    const alerts = await this.#options.known.read();
    this.#open = alerts.filter(({ id }) => id !== 0);
    this.#away.restore(alerts.filter(({ id }) => id === 0));
  }

  #tellAlone(findings: readonly Finding[]): void {
    const nowMs = this.#options.steadyMs();
    this.#unansweredSinceMs ??= nowMs;
    if (nowMs - this.#unansweredSinceMs >= holdOf('ledgerAway')) this.#away.take(findings, this.#open);
  }

  /** False when it does not answer in time. */
  async #tellLedger(findings: readonly Finding[], settings: AlertSettings): Promise<boolean> {
    // A question that hangs is not asked twice.
    if (this.#asking) return false;
    const asking = this.#ask(findings, settings)
      .then(() => true)
      .catch((error: Error) => {
        tellUnanswered(this.#options.log, error, 'the ledger takes no look at alerts now');
        return false;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    this.#asking = asking;
    return Promise.race([asking, pause(LOOK_WITHIN_MS, false, { ref: false })]);
  }

  async #ask(findings: readonly Finding[], settings: AlertSettings): Promise<void> {
    const { book, run, deliveries } = this.#options;
    // What is still open of these is resolved by the ledger, as all else.
    const toldAlready = this.#away.alerts;
    await this.#tellPresence(settings);
    this.#open = await book.look({
      ...{ bridge: run, toldAlready, off: switchedOff(settings), repeatMs: REPEAT_MS },
      events: EVENTS.filter(({ condition }) => !settings['alerts.off'].includes(condition)),
      mostLately: MOST_OF_A_CONDITION,
      decide: (open) => decide(open, findings),
      openingsOf,
      tell: (news) => deliveries.tell(news),
    });
    this.#away.handedOver(toldAlready);
    this.#unansweredSinceMs = undefined;
  }

  /** Far more often than a rig may be away, and no more often than that takes. */
  async #tellPresence(settings: AlertSettings): Promise<void> {
    if (settings['alerts.off'].includes('rigOffline')) return;
    const { steadyMs, rigsHeard, book } = this.#options;
    const everyMs = Math.min(
      PRESENCE_MS.most,
      Math.max(PRESENCE_MS.least, settings['alerts.rigOffline'] / 4),
    );
    if (steadyMs() - this.#presentAtMs < everyMs) return;
    for await (const rigs of rigsHeard()) if (rigs.length > 0) await book.sawRigs(rigs);
    this.#presentAtMs = steadyMs();
  }
}
