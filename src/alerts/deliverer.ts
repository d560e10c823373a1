/**
 * Sends the notices that are due, those of any bridge on the ledger, and writes down what became of each. A target that is slow
 * keeps nobody waiting but itself.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type AlertBook, type Delivery, type DeliveryEnd, TRIES, type Try } from '../bridge/alerts.js';
import type { Log } from '../core/names/log.js';
import type { Notice } from '../operations/alerts.js';
import type { Courier } from './courier.js';
import { postingOf } from './forms.js';
import type { AlertTarget } from './targets.js';

export interface DelivererOptions {
  readonly book: Pick<AlertBook, 'claim' | 'settle'>;
  readonly courier: Courier;
  /** In force now. */
  readonly targets: () => readonly AlertTarget[];
  readonly log: Log;
  /** The time of day. */
  readonly nowMs: () => number;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1_000;
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
  /** Targets that are told something now: each hears one notice after the other. */
  readonly #busy = new Set<string>();
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
    const { book, targets } = this.#options;
    for (const ended of [...this.#unwritten]) await this.#write(ended);
    const free = targets()
      .map(({ name }) => name)
      .filter((name) => !this.#busy.has(name));
    if (free.length === 0) return;
    const due = await book.claim({ targets: free, each: 1, leaseMs: LEASE_MS });
    for (const delivery of due) this.#begin(delivery);
  }

  #begin(delivery: Delivery): void {
    const { target } = delivery;
    this.#busy.add(target);
    const delivering = this.#deliver(delivery)
      .catch((error: Error) => this.#complain(error))
      .finally(() => {
        this.#busy.delete(target);
        this.#underWay.delete(delivering);
        this.wake();
      });
    this.#underWay.add(delivering);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const end = await this.#send(delivery);
    this.#tell(delivery.notice, delivery.target, end);
    await this.#write({ delivery, end });
  }

  /** Kept until the ledger has it: else the notice would be sent again by this bridge, too, and not only by another. */
  async #write(ended: Ended): Promise<void> {
    this.#unwritten.add(ended);
    await this.#options.book.settle(ended.delivery, ended.end);
    this.#unwritten.delete(ended);
  }

  async #send({ notice, target: name, tries }: Delivery): Promise<DeliveryEnd> {
    const target = this.#options.targets().find((each) => each.name === name);
    // The settings have changed since it was claimed; another bridge may still know the target.
    if (!target) return { outcome: 'released' };
    const made = postingOf(target, notice, this.#options.nowMs());
    return this.#options.courier.send(made, { tries, signal: this.#stop.signal });
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

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  const late = pause(ms, undefined, { signal: patience.signal }).catch(() => {}); // it was not needed
  await Promise.race([late, work]);
  patience.abort();
}
