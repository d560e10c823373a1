/** What bridges on one ledger show each other while somebody looks, and how what several of them show is put together. */
import { rigKey } from '../../core/names/names.js';
import type { Ban } from '../../operations/bans.js';
import type { MiningAccount } from '../../operations/books/accounts.js';
import type { RigState } from '../../operations/enums.js';
import type { Rig, Session } from '../../operations/rigs.js';
import type { PublicSummary, Summary } from '../../operations/state.js';
import { mapped } from './slices.js';

/** All rows of one bridge, without those of others. */
export interface BridgeRows {
  readonly rigs: readonly Rig[];
  readonly sessions: readonly Session[];
  readonly accounts: readonly MiningAccount[];
  /** Its own, which hold there alone; those of people hold everywhere. */
  readonly bans: readonly Ban[];
}

/** As one bridge shows it to the others. */
export interface BridgeView extends BridgeRows {
  readonly summary: Summary;
}

/** Another bridge that is alive. */
export interface OtherBridge {
  /** Its number on the ledger. */
  readonly instance: number;
  /** For people: host and data directory. */
  readonly place: string;
  /** On a rising clock; `undefined` where it has shown nothing. */
  readonly shownAtMs: number | undefined;
  /** `undefined` where it has shown nothing, or nothing that this version can read. */
  readonly summary: Summary | undefined;
}

/** What is shown of them is in these rows unless it is too old. */
export interface OtherBridges {
  readonly bridges: readonly OtherBridge[];
  /** By {@link rigKey}. */
  readonly rigs: ReadonlyMap<string, Rig>;
  readonly sessions: readonly Session[];
  /** By name. */
  readonly accounts: ReadonlyMap<string, MiningAccount>;
  readonly bans: readonly Ban[];
}

export const NO_OTHERS: OtherBridges = {
  bridges: [],
  rigs: new Map(),
  sessions: [],
  accounts: new Map(),
  bans: [],
};

/** What all bridges on the ledger have, for who looks at this one. */
export interface AllBridges {
  /** As they have shown it last. */
  readonly others: OtherBridges;
  /** Somebody looks, and sees the others once this has resolved: within a second, whatever is away. Never rejects. */
  look(): Promise<void>;
}

export const ALONE: AllBridges = { others: NO_OTHERS, look: async () => {} };

/** Rows of several bridges, in slices. */
export async function rowsTogether(all: readonly BridgeRows[]): Promise<Omit<OtherBridges, 'bridges'>> {
  const rigs = new Map<string, Rig>();
  const accounts = new Map<string, MiningAccount>();
  for (const rows of all) {
    await mapped(rows.rigs, (rig) => void put(rigs, rigKey(rig), rig, rigTogether));
    await mapped(rows.accounts, (account) => void put(accounts, account.account, account, accountTogether));
  }
  return {
    ...{ rigs, accounts },
    sessions: all.flatMap(({ sessions }) => sessions),
    bans: all.flatMap(({ bans }) => bans),
  };
}

function put<T>(all: Map<string, T>, key: string, one: T, together: (a: T, b: T) => T): void {
  const known = all.get(key);
  all.set(key, known === undefined ? one : together(known, one));
}

/** Connected before not connected. */
const BY_STATE: readonly RigState[] = ['online', 'idle', 'banned', 'offline'];

/** One rig that has mined at two bridges. */
export function rigTogether(a: Rig, b: Rig): Rig {
  const isNewer =
    isAfter(b.connectedSince, a.connectedSince) ||
    (!a.connectedSince && isAfter(b.lastShareAt, a.lastShareAt));
  const newest = isNewer ? b : a;
  return {
    ...newest,
    label: a.label ?? b.label,
    state: BY_STATE.find((state) => a.state === state || b.state === state) ?? newest.state,
    sessions: a.sessions + b.sessions,
    connectedSince: earlier(a.connectedSince, b.connectedSince),
    orderedDifficulty: a.orderedDifficulty ?? b.orderedDifficulty,
    hashRates: ratesTogether(a.hashRates, b.hashRates),
    accepted: a.accepted + b.accepted,
    rejected: countsTogether(a.rejected, b.rejected),
    bestShare: BigInt(b.bestShare ?? 0) > BigInt(a.bestShare ?? 0) ? b.bestShare : a.bestShare,
    lastShareAt: later(a.lastShareAt, b.lastShareAt),
  };
}

export function accountTogether(a: MiningAccount, b: MiningAccount): MiningAccount {
  return {
    account: a.account,
    sessions: a.sessions + b.sessions,
    hashRates: ratesTogether(a.hashRates, b.hashRates),
    lastShareAt: later(a.lastShareAt, b.lastShareAt),
  };
}

/** What all of them do together; the rest is as the first one has it. */
export function totalsTogether<T extends Totals>(first: T, others: readonly Totals[]): T {
  const totals: Totals[] = [first, ...others];
  const sumOf = (of: (totals: Totals) => number): number => totals.reduce((sum, one) => sum + of(one), 0);
  return {
    ...first,
    sessions: sumOf(({ sessions }) => sessions),
    hashesPerSecond: sumOf(({ hashesPerSecond }) => hashesPerSecond),
    hashRates: totals.map(({ hashRates }) => hashRates).reduce(ratesTogether),
    submits: totals.map(({ submits }) => submits).reduce(countsTogether),
    solutions: totals.map(({ solutions }) => solutions).reduce(countsTogether),
  };
}

type Totals = Pick<PublicSummary, 'sessions' | 'hashesPerSecond' | 'hashRates' | 'submits' | 'solutions'>;

/** By window: each has the same ones. */
function ratesTogether(a: Rig['hashRates'], b: Rig['hashRates']): Rig['hashRates'] {
  const [longer, shorter] = a.length < b.length ? [b, a] : [a, b];
  return longer.map((rate, i) => {
    const other = shorter[i];
    if (!other) return rate;
    return {
      minutes: Math.max(rate.minutes, other.minutes),
      hashesPerSecond: rate.hashesPerSecond + other.hashesPerSecond,
      standardError: Math.round(Math.hypot(rate.standardError, other.standardError)),
    };
  });
}

export function countsTogether<Counts extends Readonly<Record<string, number>>>(
  a: Counts,
  b: Counts,
): Counts {
  const sums: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) sums[name] = (sums[name] ?? 0) + count;
  return sums as Counts;
}

/** Nothing is before every time. Times of the API are compared as texts. */
function isAfter(a: string | null, b: string | null): boolean {
  return a !== null && (b === null || a > b);
}

function later(a: string | null, b: string | null): string | null {
  return isAfter(b, a) ? b : a;
}

function earlier(a: string | null, b: string | null): string | null {
  return isAfter(a, b) ? (b ?? a) : (a ?? b);
}
