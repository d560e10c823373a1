/**
 * Events ({@link EVENTS}) as lines: told, kept, and written into `events.file`.
 *
 *     {"v":1,"key":"5f0c….7","time":"2026-11-22T15:26:37.123Z","kind":"nodeSwitched","says":"rigs work for … now",
 *      "facts":{"from":"http://a:1848","to":"http://b:1848"},"instance":3,"by":null}
 */

import { z } from 'zod';
import { storable } from '../../core/names/names.js';
import { EVENTS, type FactsOf, type Kind, type Said } from './events.js';

/** What a line says. */
export function sentenceOf<K extends Kind>(kind: K, facts: FactsOf<K>, said: Said): string {
  const { says } = EVENTS[kind] as unknown as { says(facts: FactsOf<K>, said: Said): string };
  return boundedSentence(says(facts, said));
}

/** A line of `events.file`; the facts of each kind are in {@link EVENTS}. */
export const EVENT_LINE = z.object({
  v: z.literal(1),
  key: z.string().describe('names the line for ever, among those of all bridges'),
  time: z.iso.datetime(),
  kind: z.string().describe('what has happened: those of this version are in $defs, with their facts'),
  says: z.string().describe('a sentence for people'),
  facts: z.record(z.string(), z.unknown()).describe('for programs'),
  instance: z
    .int()
    .nullable()
    .describe('number of the bridge that tells it; null for what the ledger itself tells'),
  by: z.string().nullable().describe('who ordered it; null for what nobody ordered'),
});

/** As it is told, kept and shown: `kind` and `facts` may be of a later version, told by another bridge. */
export interface TimelineEvent {
  /** A UUID that names the start of the bridge that tells it; each line of the ledger itself has one of its own. */
  readonly run: string;
  /** Counts the lines of a start, from 1. */
  readonly number: number;
  /** Milliseconds since the epoch, by the clock of who tells it. */
  readonly atMs: number;
  readonly kind: string;
  readonly says: string;
  readonly facts: Facts;
  readonly instance: number | null;
  readonly by: string | null;
  /** Its place in the ledger: later ones are higher. Absent while it is not there. */
  readonly id?: number;
}

export type Facts = Readonly<Record<string, unknown>>;

export function keyOf({ run, number }: Pick<TimelineEvent, 'run' | 'number'>): string {
  return `${run}.${number}`;
}

const MAX_SAYS = 500;
const MAX_TEXT = 1_000;
const MAX_ITEMS = 100;

/** What any ledger and file takes, of any length. */
export function boundedSentence(says: string): string {
  return storable(says, MAX_SAYS);
}

/** The same for facts: texts and lists are cut. */
export function boundedFacts(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, bounded(value)]));
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return storable(value, MAX_TEXT);
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(bounded) : value;
}
