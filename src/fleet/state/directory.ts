/**
 * Which front has which tenure: what a front has told last, and what dead fronts have left behind. It only points: the front
 * that has a tenure decides by what it has now whether it gives it up.
 */
import type { Claim, Claimed, KnownTenure } from '../../bridge/fleet/state.js';
import { loginText, type Name } from '../../core/names/names.js';

interface Entry {
  readonly tenure: KnownTenure;
  /** That of its jobs. */
  readonly front: number;
  /** Whether that front is alive. */
  readonly isHeld: boolean;
  readonly toldAtMs: number;
  readonly leavesAtMs: number | undefined;
}

/** Where something may be that a rig claims. */
export type Found =
  | { readonly at: number; readonly token: string }
  /** Its front is dead, and this is what it knew last. It is known here no more. */
  | { readonly left: NonNullable<Claimed['former']> };

export interface DirectoryLimits {
  readonly tenures: number;
  /** How long a tenure waits whose session has ended. */
  readonly stayMs: number;
}

const NONCE1 = /^[0-9a-f]{1,4}$/i;

export class Directory {
  readonly #limits: DirectoryLimits;
  /** By token, told longest ago first. */
  readonly #entries = new Map<string, Entry>();
  /** By login and address. */
  readonly #places = new Map<string, Set<Entry>>();

  constructor(limits: DirectoryLimits) {
    this.#limits = limits;
  }

  /** Which front has the tenure of this token; `undefined` where none that is alive has one. */
  frontOf(token: string): number | undefined {
    const entry = this.#entries.get(token);
    return entry?.isHeld ? entry.front : undefined;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A front has it, as it tells. */
  has(front: number, tenure: KnownTenure, nowMs: number): void {
    const { leavesInMs } = tenure;
    const leavesAtMs = leavesInMs === undefined ? undefined : nowMs + leavesInMs;
    this.#enter({ tenure, front, isHeld: true, toldAtMs: nowMs, leavesAtMs });
  }

  /** A front has it no more. */
  gone(front: number, token: string): void {
    const entry = this.#entries.get(token);
    if (entry?.isHeld && entry.front === front) this.#remove(entry);
  }

  /** A front has died: its tenures wait for their rigs as if all sessions had ended now. */
  died(front: number, nowMs: number): void {
    const leavesAtMs = nowMs + this.#limits.stayMs;
    for (const entry of [...this.#entries.values()]) {
      if (!entry.isHeld || entry.front !== front) continue;
      this.#enter({ ...entry, isHeld: false, leavesAtMs: entry.leavesAtMs ?? leavesAtMs });
    }
  }

  /** @param asking the front that knows nothing of it. */
  find(asking: number, claim: Claim, nowMs: number): Found | undefined {
    const entry = this.#named(claim) ?? this.#left(asking, claim);
    if (!entry || (entry.isHeld && entry.front === asking)) return undefined;
    const { front, tenure } = entry;
    if (entry.isHeld) return { at: front, token: tenure.token };
    this.#remove(entry);
    const left = { ...tenure, leavesInMs: (entry.leavesAtMs ?? nowMs + this.#limits.stayMs) - nowMs };
    return { left: { front, tenure: left, agoMs: nowMs - entry.toldAtMs } };
  }

  /** Forgets those whose time is over, and what is too much. */
  expire(nowMs: number): void {
    for (const entry of this.#entries.values())
      if (entry.leavesAtMs !== undefined && entry.leavesAtMs <= nowMs) this.#remove(entry);
  }

  /** Its token proves whose it is, while no session has it. Of one that has it, its front knows whether it ends. */
  #named({ named }: Claim): Entry | undefined {
    return named === undefined ? undefined : this.#entries.get(named);
  }

  /** At the same address under one of these logins: that of the nonce1 it names, else one that waits, else any. */
  #left(asking: number, { named, logins, addressKey }: Claim): Entry | undefined {
    const nonce1 =
      named !== undefined && NONCE1.test(named) ? named.toLowerCase().padStart(4, '0') : undefined;
    let waiting: Entry | undefined;
    let held: Entry | undefined;
    for (const login of logins)
      for (const entry of this.#places.get(placeOf(login, addressKey)) ?? []) {
        if (entry.isHeld && entry.front === asking) continue;
        if (entry.leavesAtMs === undefined) held ??= entry;
        else if (nonce1 === undefined || entry.tenure.nonce1 === nonce1) return entry;
        else waiting ??= entry;
      }
    return waiting ?? held;
  }

  #enter(entry: Entry): void {
    const former = this.#entries.get(entry.tenure.token);
    if (former) this.#remove(former);
    this.#entries.set(entry.tenure.token, entry);
    for (const place of placesOf(entry)) {
      const those = this.#places.get(place) ?? new Set();
      this.#places.set(place, those.add(entry));
    }
    for (const oldest of this.#entries.values()) {
      if (this.#entries.size <= this.#limits.tenures) return;
      this.#remove(oldest);
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.tenure.token);
    for (const place of placesOf(entry)) {
      const those = this.#places.get(place);
      those?.delete(entry);
      if (those?.size === 0) this.#places.delete(place);
    }
  }
}

function placesOf({ tenure: { logins, addressKey } }: Entry): string[] {
  return logins.map((login) => placeOf(login, addressKey));
}

function placeOf(login: Name, addressKey: string): string {
  return `${loginText(login)} at ${addressKey}`;
}
