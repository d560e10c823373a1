/** Sends the notices that are due, those of any bridge on the ledger, and writes down what became of each. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AlertBook,
  type Delivery,
  type DeliveryEnd,
  type Notice,
  TRIES,
  type Try,
} from '../../bridge/alerts/alerts.js';
import type { Log } from '../../core/log.js';
import type { Courier, SendOptions } from './courier.js';
import { type Posting, postingOf, webhookPosting } from './forms.js';
import { minerSecret } from './miner-keys.js';
import type { AlertRules } from './rules.js';

export interface DelivererOptions {
  readonly book: Pick<AlertBook, 'claim' | 'settle'>;
  readonly courier: Courier;
  /** In force now. */
  readonly rules: () => AlertRules;
  readonly log: Log;
  /** The time of day. */
  readonly nowMs: () => number;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1_000;
/** Under way at once. */
const AT_ONCE = 10;
/** Longer than any try takes: then another bridge may send it. */
const LEASE_MS = 60_000;

export class Deliverer {
  readonly tries: Record<Try, number> = { delivered: 0, retried: 0, failed: 0 };
  readonly #options: DelivererOptions;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #complained = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  /** Looks for what is due, again and again. */
  start(): void {
    this.#timer = setInterval(() => this.wake(), this.#options.intervalMs ?? INTERVAL_MS);
  }

  /** There may be something to send. Returns at once. */
  wake(): void {
    if (this.#stop.signal.aborted) return;
    this.#working ??= this.#workOff()
      .then(() => {
        this.#complained = false;
      })
      .catch((error: Error) => this.#complain(error))
      .finally(() => {
        this.#working = undefined;
      });
  }

  /** What is not sent by then is left for the next start, or for another bridge. */
  async close(patienceMs: number): Promise<void> {
    clearInterval(this.#timer);
    const patience = new AbortController();
    const late = pause(patienceMs, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([late, this.#working]);
    patience.abort();
    this.#stop.abort();
    // Each try ends by the signal; writing that down is bounded by the stop of the ledger.
    await Promise.race([this.#working, pause(patienceMs, undefined, { ref: false })]);
  }

  async #workOff(): Promise<void> {
    const { book, rules } = this.#options;
    while (!this.#stop.signal.aborted) {
      const { targets, minersKey } = rules();
      const names = targets.map(({ name }) => name);
      if (names.length === 0 && minersKey === '') return;
      const due = await book.claim({
        targets: names,
        miners: minersKey !== '',
        limit: AT_ONCE,
        leaseMs: LEASE_MS,
      });
      if (due.length === 0) return;
      await Promise.all(due.map((delivery) => this.#deliver(delivery)));
    }
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { book, courier } = this.#options;
    const made = this.#postingOf(delivery);
    const send: SendOptions = {
      tries: delivery.tries,
      signal: this.#stop.signal,
      onlyPublic: delivery.subscription !== undefined && !this.#options.rules().minersPrivate,
    };
    const end: DeliveryEnd = made ? await courier.send(made, send) : { outcome: 'released' };
    this.#tell(delivery.notice, delivery.target ?? 'a miner', end);
    await book.settle(delivery, end);
  }

  /** `undefined` where the settings have changed since it was claimed. */
  #postingOf({ notice, target: name, subscription }: Delivery): Posting | undefined {
    const { targets, minersKey } = this.#options.rules();
    const nowMs = this.#options.nowMs();
    if (subscription) {
      if (minersKey === '') return undefined;
      const { account, url } = subscription;
      return webhookPosting(url, minerSecret(minersKey, account, url), notice, nowMs);
    }
    const target = targets.find((each) => each.name === name);
    return target && postingOf(target, notice, nowMs);
  }

  #tell({ alert: { condition, about } }: Notice, target: string, end: DeliveryEnd): void {
    const { outcome } = end;
    if (outcome === 'released') return;
    if (TRIES.includes(outcome)) this.tries[outcome]++;
    const fields = { event: 'alert-notice', target, condition, about, outcome };
    if (end.outcome === 'delivered') this.#options.log.debug(fields, 'a notice was delivered');
    else if (end.outcome === 'retried')
      this.#options.log.info({ ...fields, reason: end.says }, 'a notice was not taken: it is sent again');
    else this.#options.log.warn({ ...fields, reason: end.says }, 'a notice was not taken, and is given up');
  }

  #complain(error: Error): void {
    if (this.#complained) return;
    this.#complained = true;
    this.#options.log.debug({ error: error.message }, 'notices cannot be looked for now');
  }
}
