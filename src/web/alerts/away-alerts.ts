/**
 * Alerts while the ledger is away, which is one itself: kept in memory and told by this bridge alone, then handed to the ledger
 * as told. Other bridges tell theirs; nobody can agree with nobody.
 */
import { randomUUID } from 'node:crypto';
import {
  type Alert,
  type Finding,
  isFor,
  keyOfSubject,
  type Notice,
  SEVERITY_OF,
  type What,
} from '../../bridge/alerts/alerts.js';
import { type AlertRules, type AlertTarget, BOUNDS } from './rules.js';

/** Brings it to its end: tries, waits and tries again. Returns at once. */
export type SendNow = (target: AlertTarget, notice: Notice) => void;

export interface AwayOptions {
  readonly send: SendNow;
  /** The time of day. */
  readonly nowMs: () => number;
  readonly rules: () => AlertRules;
}

/** More are not told while the ledger is away, nor handed to it. */
const MOST = 100;

interface Kept {
  alert: Alert;
  toldAtMs: number;
}

export class AwayAlerts {
  readonly #options: AwayOptions;
  #kept: Kept[] = [];

  constructor(options: AwayOptions) {
    this.#options = options;
  }

  /** What the ledger has to be told, once it answers. */
  get alerts(): readonly Alert[] {
    return this.#kept.map(({ alert }) => alert);
  }

  get open(): readonly Alert[] {
    return this.alerts.filter(({ resolvedAtMs }) => resolvedAtMs === undefined);
  }

  /** @param known what the ledger had open when it was last heard: it was told, and what becomes of it is the ledger's. */
  take(findings: readonly Finding[], known: readonly Alert[]): void {
    const inLedger = new Set(known.map(keyOfSubject));
    for (const finding of findings) {
      const kept = this.#kept.find(
        ({ alert }) => alert.resolvedAtMs === undefined && keyOfSubject(alert) === keyOfSubject(finding),
      );
      if (!finding.isBad) {
        if (kept) this.#resolve(kept, finding.says);
      } else if (kept) this.#repeat(kept, finding.says);
      else if (!inLedger.has(keyOfSubject(finding))) this.#open(finding);
    }
  }

  /** Of a bridge that was here before: they were told. */
  restore(alerts: readonly Alert[]): void {
    const toldAtMs = this.#options.nowMs();
    this.#kept.push(...alerts.slice(0, MOST).map((alert) => ({ alert, toldAtMs })));
  }

  /** What was told of a bridge before it had its number is of that bridge. */
  rename(from: string, to: string): void {
    if (!this.#kept.some(({ alert }) => alert.about.includes(from))) return;
    this.#kept = this.#kept.map((kept) => ({
      ...kept,
      alert: { ...kept.alert, about: kept.alert.about.replace(from, to) },
    }));
  }

  /** The ledger has them now. */
  handedOver(alerts: readonly Alert[]): void {
    this.#kept = this.#kept.filter(({ alert }) => !alerts.includes(alert));
  }

  #open({ condition, about, says, account }: Finding): void {
    // What is over makes room: a long outage in which something comes and goes ends in no silence.
    const over = this.#kept.findIndex(({ alert }) => alert.resolvedAtMs !== undefined);
    if (this.#kept.length >= MOST && over !== -1) this.#kept = this.#kept.toSpliced(over, 1);
    if (this.#kept.length >= MOST) return;
    const openedAtMs = this.#options.nowMs();
    const alert: Alert = {
      ...{ id: 0, condition, about, severity: SEVERITY_OF[condition], account, says, openedAtMs },
      ...{ resolvedAtMs: undefined, resolvedSays: '' },
    };
    this.#kept.push({ alert, toldAtMs: openedAtMs });
    this.#tell(alert, 'opened');
  }

  #resolve(kept: Kept, says: string): void {
    kept.alert = { ...kept.alert, resolvedAtMs: this.#options.nowMs(), resolvedSays: says };
    this.#tell(kept.alert, 'resolved');
  }

  #repeat(kept: Kept, says: string): void {
    const nowMs = this.#options.nowMs();
    if (nowMs - kept.toldAtMs < BOUNDS.repeatMs) return;
    kept.alert = { ...kept.alert, says };
    kept.toldAtMs = nowMs;
    this.#tell(kept.alert, 'repeated');
  }

  #tell(alert: Alert, what: What): void {
    const { send, nowMs, rules } = this.#options;
    const notice: Notice = { id: randomUUID(), what, madeAtMs: nowMs(), alert };
    for (const target of rules().targets) if (isFor(target, alert)) send(target, notice);
  }
}
