/**
 * What one server gives to whoever shows it together with others: of all its rigs what they are sorted by, in pieces, and in full
 * those that are named. Worked out in slices, as its own lists are.
 */
import type {
  AccountPart,
  FrontWatch,
  KeysAsked,
  LoginKeys,
  RigPart,
  SessionKeys,
} from '../../bridge/fleet/watch.js';
import { RIG_STATES, type RigSort, type RigState, type RigWatch } from '../../bridge/watch/rig-watch.js';
import { mapped } from '../../bridge/watch/slices.js';
import type { Measured, WindowMs } from '../../core/shares/hash-rate.js';
import type { AccountRecord, RigRecord } from '../tenure/rig-record.js';
import { factsOf, holdsPart, newestSessionsOf } from './rig-list.js';
import type { Watched, WatchParts } from './watch.js';

/** Rigs or accounts of one piece: some milliseconds on their way, and some hundred kilobytes. */
const PIECE = 2000;
/** Lists whose next pieces are waited for; then the oldest is given up. */
const MAX_BEGUN = 8;
/** What has gone ranks below what is here: earlier than any time. */
const GONE = -1e15;

const STEADY_MS: WindowMs = 300_000;
const WINDOWS = {
  hashRate: STEADY_MS,
  rate1h: 3_600_000,
  rate24h: 86_400_000,
} as const satisfies Partial<Record<RigSort, WindowMs>>;

/** What is sorted by, of one of a list. */
interface Key {
  readonly account: string;
  readonly rig: string;
  readonly state: number;
  readonly value: number;
  readonly seconds: number;
  readonly text: string;
  readonly rank: number;
}

/** Gives the next piece. */
type Begun = () => Promise<LoginKeys>;

/** @param watch of the same parts. */
export function frontWatchOf(parts: WatchParts, watch: Pick<RigWatch, 'sessionsByAccount'>): FrontWatch {
  const keys = new KeyPieces(parts);
  const { rigBook } = parts;
  return {
    sessionKeys: () => sessionKeysOf([...parts.sessions()]),
    sessions: async (ids) => {
      const wanted = new Set(ids);
      const nowMs = parts.nowMs();
      const those = [...parts.sessions()].filter(({ info }) => wanted.has(info.id));
      return mapped(those, (session) => session.report(nowMs));
    },
    keys: (asked) => keys.begin(asked),
    moreKeys: (next) => keys.next(next),
    rigs: (names) =>
      mapped(names, (name) => {
        const record = rigBook.find(name);
        return record && partOf(record, parts);
      }),
    rig: async (account, rig) => {
      const record = rigBook.find({ account, rig });
      return record && { rig: partOf(record, parts), sessions: newestSessionsOf(record, parts.nowMs()) };
    },
    accounts: async (names) => accountsOf(parts, new Set(names)),
    sessionsByAccount: () => watch.sessionsByAccount(),
  };
}

async function sessionKeysOf(sessions: readonly Watched[]): Promise<SessionKeys> {
  const [ids, speeds] = [new Float64Array(sessions.length), new Float64Array(sessions.length)];
  let i = 0;
  await mapped(sessions, ({ info, hashesPerSecond }) => {
    ids[i] = info.id;
    speeds[i++] = hashesPerSecond;
    return undefined;
  });
  return { ids, speeds };
}

function partOf(record: RigRecord, parts: WatchParts): RigPart {
  const nowMs = parts.nowMs();
  const state = stateOf(record, parts, nowMs);
  return { ...factsOf(record, state, parts), measured: record.measured(nowMs), rank: rankOf(record) };
}

function stateOf(record: RigRecord, { isBanned }: WatchParts, nowMs: number): RigState {
  return record.stateAt(nowMs, () => isBanned(record, nowMs));
}

function rankOf({ newest, goneAtMs }: RigRecord): number {
  return newest?.openedAtMs ?? GONE + goneAtMs;
}

async function accountsOf(
  { rigBook, nowMs }: WatchParts,
  wanted: ReadonlySet<string>,
): Promise<readonly AccountPart[]> {
  return mapped(rigBook.accounts, ({ login: { account }, meter, lastShareAtMs }) =>
    wanted.has(account) ? { account, measured: meter.measured(nowMs()), lastShareAtMs } : undefined,
  );
}

class KeyPieces {
  readonly #parts: WatchParts;
  readonly #begun = new Map<number, Begun>();
  #last = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  async begin(asked: KeysAsked): Promise<LoginKeys> {
    const { rigBook, nowMs } = this.#parts;
    const atMs = nowMs();
    switch (asked.of) {
      case 'rigs': {
        const records = await this.#fitting(asked);
        const keyOf = (record: RigRecord): Key => rigKeyOf(record, asked.sort, this.#parts, atMs);
        return this.#piece(records, keyOf, 0);
      }
      case 'accounts':
        return this.#piece(rigBook.accounts, (record) => accountKeyOf(record, atMs), 0);
      case 'online':
        return this.#piece(await this.#online(atMs), ({ login }) => ({ ...NO_KEY, ...login }), 0);
    }
  }

  async next(next: number): Promise<LoginKeys> {
    const begun = this.#begun.get(next);
    if (!begun) throw new RangeError('the rest of that list is not kept any more');
    this.#begun.delete(next);
    return begun();
  }

  #fitting({ account, part }: KeysAsked & { of: 'rigs' }): Promise<readonly RigRecord[]> {
    return mapped(this.#parts.rigBook.rigs(), (record) =>
      (account === undefined || record.login.account === account) &&
      (part === undefined || holdsPart(record, part, this.#parts))
        ? record
        : undefined,
    );
  }

  #online(atMs: number): Promise<readonly RigRecord[]> {
    const present = [...this.#parts.rigBook.present];
    return mapped(present, (record) => (record.stateAt(atMs, () => false) === 'online' ? record : undefined));
  }

  async #piece<T>(records: readonly T[], keyOf: (record: T) => Key, from: number): Promise<LoginKeys> {
    const keys = await mapped(records.slice(from, from + PIECE), keyOf);
    return {
      accounts: keys.map(({ account }) => account),
      rigs: keys.map(({ rig }) => rig),
      states: Uint8Array.from(keys, ({ state }) => state),
      values: Float64Array.from(keys, ({ value }) => value),
      seconds: Float64Array.from(keys, ({ seconds }) => seconds),
      texts: keys.some(({ text }) => text !== '') ? keys.map(({ text }) => text) : [],
      ranks: Float64Array.from(keys, ({ rank }) => rank),
      next:
        from + PIECE < records.length
          ? this.#keep(() => this.#piece(records, keyOf, from + PIECE))
          : undefined,
    };
  }

  #keep(begun: Begun): number {
    this.#begun.set(++this.#last, begun);
    for (const oldest of this.#begun.keys()) {
      if (this.#begun.size <= MAX_BEGUN) break;
      this.#begun.delete(oldest);
    }
    return this.#last;
  }
}

const NO_KEY: Key = { account: '', rig: '', state: 0, value: 0, seconds: 0, text: '', rank: 0 };

function accountKeyOf({ login: { account }, meter }: AccountRecord, atMs: number): Key {
  const { hashes, seconds } = windowOf(meter.measured(atMs), STEADY_MS);
  return { ...NO_KEY, account, value: hashes, seconds };
}

function rigKeyOf(record: RigRecord, sort: RigSort, parts: WatchParts, atMs: number): Key {
  const { account, rig } = record.login;
  return {
    ...{ account, rig },
    state: RIG_STATES.indexOf(stateOf(record, parts, atMs)),
    ...{ value: 0, seconds: 0, text: '' },
    rank: rankOf(record),
    ...sortedBy(record, sort, atMs),
  };
}

function sortedBy(record: RigRecord, sort: RigSort, atMs: number): Partial<Key> {
  switch (sort) {
    case 'name':
    case 'account':
    case 'state':
      return {};
    case 'agent':
      return { text: record.agent };
    case 'hashRate':
    case 'rate1h':
    case 'rate24h': {
      const { hashes: value, seconds } = windowOf(record.measured(atMs), WINDOWS[sort]);
      return { value, seconds };
    }
    case 'difficulty':
      return { value: Number(record.newest?.difficulty ?? 0) };
    case 'accepted':
      return { value: record.accepted };
    case 'rejected':
      return { value: record.rejected, seconds: record.accepted };
    case 'bestShare':
      return { value: record.bestShare };
    case 'lastShare':
      return { value: record.lastShareAtMs ?? 0 };
    case 'sessions':
      return { value: record.sessions.length };
    case 'connected':
      return { value: record.connectedAtMs ?? 0 };
  }
}

function windowOf(measured: readonly Measured[], windowMs: WindowMs): Pick<Measured, 'hashes' | 'seconds'> {
  return measured.find((each) => each.windowMs === windowMs) ?? { hashes: 0, seconds: 1 };
}
