/**
 * Alerts while the ledger is away, which is one itself: kept in memory and told by this bridge alone, then handed to the ledger
 * as told. Other bridges tell theirs; nobody can agree with nobody.
 */
import { type Finding, keyOfSubject, type News } from '../bridge/alerts.js';
import type { Alert } from '../operations/alerts.js';

/** What stays open is told again after that long. */
export const REPEAT_MS = 6 * 3_600_000;

/** More are not told while the ledger is away, nor handed to it. */
const MOST = 100;

interface Kept {
  alert: Alert;
  toldAtMs: number;
}

export class AwayAlerts {
  readonly #tell: (alert: Alert, what: News['what']) => void;
  /** The time of day. */
  readonly #nowMs: () => number;
  #kept: Kept[] = [];

  constructor(tell: (alert: Alert, what: News['what']) => void, nowMs: () => number) {
    this.#tell = tell;
    this.#nowMs = nowMs;
  }

  /** What the ledger has to be told, once it answers. */
  get alerts(): readonly Alert[] {
    return this.#kept.map(({ alert }) => alert);
  }

  get open(): readonly Alert[] {
    return this.alerts.filter(({ until }) => until === null);
  }

  /** @param known what the ledger had open when it was last heard: it was told, and what becomes of it is the ledger's. */
  take(findings: readonly Finding[], known: readonly Alert[]): void {
    const inLedger = new Set(known.map(keyOfSubject));
    for (const finding of findings) {
      const kept = this.#kept.find(
        ({ alert }) => alert.until === null && keyOfSubject(alert) === keyOfSubject(finding),
      );
      if (!finding.isBad) {
        if (kept) this.#resolve(kept, finding.says);
      } else if (kept) this.#repeat(kept, finding.says);
      else if (!inLedger.has(keyOfSubject(finding))) this.#open(finding);
    }
  }

  /** Of a bridge that was here before: they were told. */
  restore(alerts: readonly Alert[]): void {
    const toldAtMs = this.#nowMs();
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

  #open({ condition, about, severity, says }: Finding): void {
    // What is over makes room: a long outage in which something comes and goes ends in no silence.
    const over = this.#kept.findIndex(({ alert }) => alert.until !== null);
    if (this.#kept.length >= MOST && over !== -1) this.#kept = this.#kept.toSpliced(over, 1);
    if (this.#kept.length >= MOST) return;
    const toldAtMs = this.#nowMs();
    const times = { from: new Date(toldAtMs).toISOString(), until: null };
    const alert: Alert = { id: 0, condition, about, severity, says, ...times, resolvedSays: '' };
    this.#kept.push({ alert, toldAtMs });
    this.#tell(alert, 'opened');
  }

  #resolve(kept: Kept, says: string): void {
    kept.alert = { ...kept.alert, until: new Date(this.#nowMs()).toISOString(), resolvedSays: says };
    this.#tell(kept.alert, 'resolved');
  }

  #repeat(kept: Kept, says: string): void {
    const nowMs = this.#nowMs();
    if (nowMs - kept.toldAtMs < REPEAT_MS) return;
    kept.alert = { ...kept.alert, says };
    kept.toldAtMs = nowMs;
    this.#tell(kept.alert, 'repeated');
  }
}
