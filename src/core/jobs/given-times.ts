/**
 * The creation times that jobs were given. No two jobs with the same payload have the same time, whichever node gave the
 * work and however often: else two rigs would search, and be paid for, the same headers.
 */
import { toHex } from '../bytes/bytes.js';
import type { Work } from '../work/work.js';

/** Creation times of a book's jobs, in microseconds, modulo this, tell bridge instances and their groups apart. */
export const TIME_RESIDUES = 1024;

/** Times are less than a minute ahead of any clock that work comes from; a payload unused for so long has none to come. */
const KEPT_MS = 1_200_000;
/** Payloads and groups that are remembered, whatever the clock says. */
const MAX_KEPT = 65_536;

interface Given {
  readonly time: bigint;
  readonly atMs: number;
}

export class GivenTimes {
  #residue: number | undefined;
  /** Payload and group -> the latest time, the longest unused first. */
  readonly #latest = new Map<string, Given>();

  constructor(residue: number | undefined) {
    this.#residue = residue;
  }

  /** From now on times are of this residue; those that were given stay given. */
  moveTo(residue: number): void {
    this.#residue = residue;
  }

  /** An earlier start has given this one. */
  know(work: Work, group: number, time: bigint, nowMs: number): void {
    const key = keyOf(work, group);
    const last = this.#latest.get(key)?.time ?? time;
    this.#latest.set(key, { time: last > time ? last : time, atMs: nowMs });
  }

  /** The next time from `notBefore` on that fits the group and was not given before. */
  next(work: Work, group: number, notBefore: bigint, nowMs: number): bigint {
    const key = keyOf(work, group);
    const last = this.#latest.get(key)?.time;
    const earliest = last !== undefined && last >= notBefore ? last + 1n : notBefore;
    const time =
      this.#residue === undefined ? earliest : fitting(work, earliest, BigInt(this.#residue + group));
    this.#latest.delete(key);
    this.#latest.set(key, { time, atMs: nowMs });
    this.#forget(nowMs);
    return time;
  }

  #forget(nowMs: number): void {
    for (const [key, { atMs }] of this.#latest) {
      if (this.#latest.size <= MAX_KEPT && nowMs - atMs < KEPT_MS) return;
      this.#latest.delete(key);
    }
  }
}

function keyOf({ fields }: Work, group: number): string {
  return `${toHex(fields.payloadHash)} ${group}`;
}

/** The first time from `earliest` on, and above the work's own, that is `residue` modulo {@link TIME_RESIDUES}. */
function fitting({ fields }: Work, earliest: bigint, residue: bigint): bigint {
  const above = fields.creationTime + 1n;
  const from = earliest > above ? earliest : above;
  const modulus = BigInt(TIME_RESIDUES);
  return from + ((((residue - from) % modulus) + modulus) % modulus);
}
