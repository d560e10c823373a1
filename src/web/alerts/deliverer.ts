/**
 * Sends the notices that are due, those of any bridge on the ledger, and writes down what became of each. A target that is slow
 * keeps nobody waiting but itself.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AlertBook,
  type Delivery,
  type DeliveryEnd,
  type Notice,
  TRIES,
  type Try,
} from '../../bridge/alerts/alerts.js';
import type { Log } from '../../core/names/log.js';
import type { Courier } from './courier.js';
import { type Posting, postingOf, webhookPosting } from './forms.js';
import { minerSecret, openedUrl } from './miner-keys.js';
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
/** Webhooks of miners that are told something at once. A target of the settings hears one notice after the other. */
const MINERS_AT_ONCE = 10;
/** Longer than any try takes: then another bridge may send it. */
const LEASE_MS = 60_000;

interface Ended {
  readonly delivery: Delivery;
  readonly end: DeliveryEnd;
}

export class Deliverer {
  readonly tries: Record<Try, number> = { delivered: 0, retried: 0, failed: 0 };
  readonly #options: DelivererOptions;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;
  #isWoken = false;
  #claiming: Promise<void> | undefined;
  /** Targets of the settings that are told something now. */
  readonly #busy = new Set<string>();
  #miners = 0;
  readonly #underWay = new Set<Promise<void>>();
  /** What the ledger did not take down. */
  readonly #unwritten = new Set<Ended>();
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
    if (this.#isClosing) return;
    this.#isWoken = true;
    this.#claiming ??= this.#claimAll()
      .catch((error: Error) => this.#complain(error))
      .finally(() => {
        this.#claiming = undefined;
      });
  }

  /** What is not sent by then is left for the next start, or for another bridge. */
  async close(patienceMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosing = true;
    await atMost(patienceMs, this.#rest());
    this.#stop.abort();
    // Each try ends by the signal; writing that down is bounded by the stop of the ledger.
    await atMost(patienceMs, this.#rest());
  }

  async #rest(): Promise<void> {
    await this.#claiming;
    await Promise.all(this.#underWay);
  }

  async #claimAll(): Promise<void> {
    while (this.#isWoken && !this.#isClosing) {
      this.#isWoken = false;
      await this.#claim();
    }
    this.#complained = false;
  }

  async #claim(): Promise<void> {
    const { book, rules } = this.#options;
    for (const ended of [...this.#unwritten]) await this.#write(ended);
    const { targets, minersKey } = rules();
    const free = targets.map(({ name }) => name).filter((name) => !this.#busy.has(name));
    const miners = minersKey === '' ? 0 : MINERS_AT_ONCE - this.#miners;
    if (free.length === 0 && miners === 0) return;
    const due = await book.claim({ targets: free, each: 1, miners, leaseMs: LEASE_MS });
    for (const delivery of due) this.#begin(delivery);
  }

  #begin(delivery: Delivery): void {
    const { target } = delivery;
    if (target === undefined) this.#miners++;
    else this.#busy.add(target);
    const delivering = this.#deliver(delivery)
      .catch((error: Error) => this.#complain(error))
      .finally(() => {
        if (target === undefined) this.#miners--;
        else this.#busy.delete(target);
        this.#underWay.delete(delivering);
        this.wake();
      });
    this.#underWay.add(delivering);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const end = await this.#send(delivery);
    if (delivery.target !== undefined) this.#tell(delivery.notice, delivery.target, end);
    await this.#write({ delivery, end });
  }

  /** Kept until the ledger has it: else the notice would be sent again by this bridge, too, and not only by another. */
  async #write(ended: Ended): Promise<void> {
    this.#unwritten.add(ended);
    await this.#options.book.settle(ended.delivery, ended.end);
    this.#unwritten.delete(ended);
  }

  async #send(delivery: Delivery): Promise<DeliveryEnd> {
    const { tries, subscription } = delivery;
    const made = subscription ? this.#postingToMiner(delivery) : this.#postingToTarget(delivery);
    // Another bridge may still know the target; what was sealed by another key nobody opens.
    if (!made && !subscription) return { outcome: 'released' };
    if (!made) return { outcome: 'failed', says: 'its URL was sealed by another alerts.minersKey' };
    const onlyPublic = subscription !== undefined && !this.#options.rules().minersPrivate;
    return this.#options.courier.send(made, { tries, signal: this.#stop.signal, onlyPublic });
  }

  #postingToMiner({ notice, subscription }: Delivery): Posting | undefined {
    const { minersKey } = this.#options.rules();
    const { account, sealedUrl } = subscription ?? { account: '', sealedUrl: '' };
    const url = openedUrl(minersKey, account, sealedUrl);
    return url === undefined
      ? undefined
      : webhookPosting(url, minerSecret(minersKey, account, url), notice, this.#options.nowMs());
  }

  /** `undefined` where the settings have changed since it was claimed. */
  #postingToTarget({ notice, target: name }: Delivery): Posting | undefined {
    const target = this.#options.rules().targets.find((each) => each.name === name);
    return target && postingOf(target, notice, this.#options.nowMs());
  }

  /** Not of miners: strangers would fill the log, and have the operator told that his targets fail. */
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

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  const late = pause(ms, undefined, { signal: patience.signal }).catch(() => {}); // it was not needed
  await Promise.race([late, work]);
  patience.abort();
}
