/**
 * The one timeline of all bridges on a ledger. Whoever knows of an event records it here and goes on; who keeps, shows and
 * writes lines listens. With every listener removed no verdict changes.
 */

import type { Name } from '../../core/names/names.js';
import type { Clock } from '../ports.js';
import { type FactsOf, type Kind, LINES_A_MINUTE, LOSSES, type Loss } from './events.js';
import { boundedFacts, boundedSentence, sentenceOf, type TimelineEvent } from './timeline-event.js';

/** Where a line is put in. */
export interface EventRecorder {
  /**
   * Returns at once and never throws.
   *
   * @param by who ordered it.
   * @param words of a kind whose facts do not make a sentence; without addresses and secrets.
   */
  record<K extends Kind>(kind: K, facts: FactsOf<K>, by?: string, words?: string): void;
}

/** Which lines are asked for. */
export interface LinesAsked {
  readonly limit: number;
  /** Only lines before that one. */
  readonly before?: number | undefined;
  /** Only those that happened then or later; milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  readonly kinds?: readonly string[] | undefined;
  /** Only those of this rig, and bans of its account. */
  readonly login?: Name | undefined;
}

/** A line that is in the ledger. */
export type KeptLine = TimelineEvent & { readonly id: number };

/** Where lines are kept; implemented by the ledger. Each rejects while that is away. */
export interface TimelineBook {
  /** Writes those that are not there yet. Resolves with how many the database refuses for what is in them. */
  writeLines(lines: readonly TimelineEvent[]): Promise<number>;
  /** The latest first. */
  readLines(asked: LinesAsked): Promise<readonly KeptLine[]>;
  /** Those after that one, of all bridges, in their order. */
  linesAfter(id: number, limit: number): Promise<readonly KeptLine[]>;
  /** Of the newest line; 0 when there is none. */
  newestId(): Promise<number>;
  /** Whether there is a line of one of these kinds about the block of this hash, in hex digits. */
  hasBlock(kinds: readonly Kind[], hash: string): Promise<boolean>;
}

/** What may be seen of the timeline from outside. */
export interface TimelineView {
  /** Lines that are missing somewhere, since the start. */
  readonly lost: Readonly<Record<Loss, number>>;
  /** Lines that wait to be written into the ledger. */
  readonly waiting: number;
  /** Told of each line from now on: those of this bridge at once, those of others as the ledger has them. */
  onLine(listener: (line: TimelineEvent) => void): void;
  /** As {@link TimelineBook.readLines}. */
  readLines(asked: LinesAsked): Promise<readonly KeptLine[]>;
}

interface TimelineOptions {
  /** A random UUID that names this start. */
  readonly run: string;
  readonly instance: () => number | undefined;
  readonly clock: Clock;
}

const MINUTE_MS = 60_000;

interface Gap {
  readonly lines: number;
  readonly sinceMs: number;
  readonly untilMs: number;
}

export class Timeline implements EventRecorder {
  readonly run: string;
  readonly #options: TimelineOptions;
  readonly #listeners: ((line: TimelineEvent) => void)[] = [];
  readonly #lost = Object.fromEntries(LOSSES.map((why) => [why, 0])) as Record<Loss, number>;
  /** What was lost and not told yet. */
  readonly #gaps = new Map<Loss, Gap>();
  /** Lines of each kind in its latest minute. */
  readonly #told = new Map<Kind, { readonly minute: number; lines: number }>();
  #number = 0;

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.run = options.run;
  }

  get lost(): Readonly<Record<Loss, number>> {
    return this.#lost;
  }

  onLine(listener: (line: TimelineEvent) => void): void {
    this.#listeners.push(listener);
  }

  record<K extends Kind>(kind: K, facts: FactsOf<K>, by?: string, words?: string): void {
    const atMs = this.#options.clock.nowMs();
    if (by === undefined && this.#isTooMany(kind, atMs)) {
      this.lose('flood');
      return;
    }
    const instance = this.#options.instance() ?? null;
    const who = by === undefined ? null : boundedSentence(by);
    const says = sentenceOf(kind, facts, { by, words });
    const told = { says, facts: boundedFacts(facts), instance, by: who };
    this.hear({ run: this.run, number: ++this.#number, atMs, kind, ...told });
  }

  /** A line of this bridge or of another one, for all who listen. */
  hear(line: TimelineEvent): void {
    for (const listener of this.#listeners) listener(line);
  }

  /** Lines are missing in the ledger or in the file, or were not even told. */
  lose(why: Loss, lines = 1): void {
    if (lines === 0) return;
    const nowMs = this.#options.clock.nowMs();
    const { lines: before, sinceMs } = this.#gaps.get(why) ?? { lines: 0, sinceMs: nowMs };
    this.#lost[why] += lines;
    this.#gaps.set(why, { lines: before + lines, sinceMs, untilMs: nowMs });
  }

  /** Says what is missing, if something is, now that lines are taken again. */
  tellLost(why: Loss): void {
    const gap = this.#gaps.get(why);
    if (!gap) return;
    this.#gaps.delete(why);
    const { lines, sinceMs, untilMs } = gap;
    this.record('linesMissing', { lines, why, since: iso(sinceMs), until: iso(untilMs) });
  }

  /** What an anonymous user can cause, such as bans, is not to fill disks, nor a development chain with its many blocks. An order is told always. */
  #isTooMany(kind: Kind, nowMs: number): boolean {
    const minute = Math.floor(nowMs / MINUTE_MS);
    const told = this.#told.get(kind);
    if (told?.minute === minute) return ++told.lines > LINES_A_MINUTE;
    this.#told.set(kind, { minute, lines: 1 });
    // The flood that there was is over, or has a new minute: this line is told first.
    if (kind !== 'linesMissing') this.tellLost('flood');
    return false;
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();
