/**
 * Bans of rigs, logins and addresses: by the bridge itself, which are forgotten with a restart, and by an operator, which are
 * kept. Those with an end are over by themselves; all are listed.
 */
import type { Ban, Bannable } from '../../bridge/orders/steering.js';
import { loginText } from '../../core/names.js';
import type { Login } from './accounts.js';
import type { StratumLimits } from './limits.js';

export type BanRules = Pick<StratumLimits, 'banMs' | 'bannedRigsPerAddress' | 'remembered'>;

/** Told of each ban as it comes and goes; bans that are forgotten because there are too many go untold. */
export interface BanWitness {
  /** One that no other ban has, of an earlier start neither. */
  newId(): string;
  banned(ban: Ban): void;
  /** @param by absent when it was over. */
  unbanned(ban: Ban, by: string | undefined): void;
}

/** What an operator orders, checked. */
export interface NewBan extends Omit<Ban, 'id' | 'kind' | 'login' | 'address'> {
  readonly whom: Bannable;
}

/** Of an operator. Each is written down with every order. */
export const MAX_ORDERED_BANS = 10_000;

export class Bans {
  readonly #rules: BanRules;
  readonly #witness: BanWitness;
  readonly #rigs: BanMap = new Map();
  readonly #addresses: BanMap = new Map();
  readonly #ordered: Readonly<Record<Ban['kind'], BanMap>> = {
    account: new Map(),
    login: new Map(),
    rig: new Map(),
    address: new Map(),
  };

  /** @param kept those of an operator that outlived a restart. */
  constructor(rules: BanRules, witness: BanWitness, kept: readonly Ban[] = []) {
    this.#rules = rules;
    this.#witness = witness;
    for (const ban of kept) this.#ordered[ban.kind].set(keyOf(ban), ban);
  }

  /** @param goodRigs of this address: it is not banned while they are as many as the banned. */
  banRig(account: string, rig: string, address: string, reason: string, nowMs: number, goodRigs = 0): void {
    const login = loginText({ account, rig });
    this.#enter(this.#rigs, this.#own({ kind: 'rig', login, address }, reason, nowMs));
    this.expire(nowMs);
    let banned = 0;
    for (const ban of this.#rigs.values()) if (ban.address === address) banned++;
    if (banned < this.#rules.bannedRigsPerAddress || banned <= goodRigs) return;
    this.banAddress(address, `${banned} rigs of this address are banned; the last: ${reason}`, nowMs);
  }

  banAddress(address: string, reason: string, nowMs: number): void {
    this.#enter(this.#addresses, this.#own({ kind: 'address', login: '', address }, reason, nowMs));
  }

  /** By an operator; in place of a ban of the same, whose id it has then. `undefined` when there are too many. */
  order({ whom, ...terms }: NewBan): Ban | undefined {
    const place = placeOf(whom);
    const bans = this.#ordered[place.kind];
    const former = bans.get(keyOf(place));
    if (!former && this.#orderedCount >= MAX_ORDERED_BANS) return undefined;
    const ban = { id: former?.id ?? this.#witness.newId(), ...place, ...terms };
    bans.set(keyOf(ban), ban);
    this.#witness.banned(ban);
    return ban;
  }

  /** Takes a ban back, whoever gave the order; `undefined` when there is none of this id. */
  unban(id: string, by: string): Ban | undefined {
    for (const bans of this.#all)
      for (const [key, ban] of bans) {
        if (ban.id !== id) continue;
        bans.delete(key);
        this.#witness.unbanned(ban, by);
        return ban;
      }
    return undefined;
  }

  /** What keeps this login out where it comes from. */
  ofRig(account: string, rig: string, address: string, nowMs: number): Ban | undefined {
    const ordered = this.#ordered;
    const login = loginText({ account, rig });
    return (
      find(ordered.account, { kind: 'account', login: account, address: '' }, nowMs) ??
      find(ordered.login, { kind: 'login', login, address: '' }, nowMs) ??
      find(ordered.rig, { kind: 'rig', login, address }, nowMs) ??
      find(this.#rigs, { kind: 'rig', login, address }, nowMs)
    );
  }

  ofAddress(address: string, nowMs: number): Ban | undefined {
    const place = { kind: 'address', login: '', address } as const;
    return find(this.#ordered.address, place, nowMs) ?? find(this.#addresses, place, nowMs);
  }

  /** Those in force, an operator's first. */
  list(nowMs: number): Ban[] {
    this.expire(nowMs);
    return this.#all.flatMap((bans) => [...bans.values()]);
  }

  /** An operator's. */
  ordered(nowMs: number): Ban[] {
    this.expire(nowMs);
    return Object.values(this.#ordered).flatMap((bans) => [...bans.values()]);
  }

  /** Forgets those that are over. */
  expire(nowMs: number): void {
    for (const bans of this.#all)
      for (const [key, ban] of bans) {
        if (isInForce(ban, nowMs)) continue;
        bans.delete(key);
        this.#witness.unbanned(ban, undefined);
      }
  }

  get #all(): readonly BanMap[] {
    return [...Object.values(this.#ordered), this.#addresses, this.#rigs];
  }

  get #orderedCount(): number {
    return Object.values(this.#ordered).reduce((sum, { size }) => sum + size, 0);
  }

  #own(place: Place, reason: string, nowMs: number): Ban {
    const untilMs = nowMs + this.#rules.banMs;
    return { id: this.#witness.newId(), ...place, reason, sinceMs: nowMs, untilMs, by: '' };
  }

  #enter(bans: BanMap, ban: Ban): void {
    const former = bans.get(keyOf(ban));
    bans.delete(keyOf(ban));
    bans.set(keyOf(ban), former ? { ...ban, id: former.id } : ban);
    this.#witness.banned(bans.get(keyOf(ban)) ?? ban);
    for (const who of bans.keys()) {
      if (bans.size <= this.#rules.remembered) return;
      bans.delete(who);
    }
  }
}

/** What a banned rig is told, and the log. */
export function banWords({ reason, untilMs }: Ban): string {
  return untilMs === undefined
    ? `banned: ${reason}`
    : `banned until ${new Date(untilMs).toISOString()}: ${reason}`;
}

/** Whether the ban would have kept this session out. */
export function meets(ban: Ban, logins: readonly Login[], addressKey: string): boolean {
  if (ban.address !== '' && ban.address !== addressKey) return false;
  if (ban.kind === 'address') return true;
  if (ban.kind === 'account') return logins.some(({ account }) => account === ban.login);
  return logins.some((login) => loginText(login) === ban.login);
}

/** That is in force. Nothing is put together where there is nothing to be found, as each of many rigs is asked about. */
function find(bans: BanMap, place: Place, nowMs: number): Ban | undefined {
  if (bans.size === 0) return undefined;
  const ban = bans.get(keyOf(place));
  return ban && isInForce(ban, nowMs) ? ban : undefined;
}

function isInForce({ untilMs }: Ban, nowMs: number): boolean {
  return untilMs === undefined || untilMs > nowMs;
}

type Place = Pick<Ban, 'kind' | 'login' | 'address'>;
type BanMap = Map<string, Ban>;

function placeOf(whom: Bannable): Place {
  switch (whom.kind) {
    case 'rig':
      return { kind: 'rig', login: loginText(whom), address: whom.address };
    case 'login':
      return { kind: 'login', login: loginText(whom), address: '' };
    case 'account':
      return { kind: 'account', login: whom.account, address: '' };
    case 'address':
      return { kind: 'address', login: '', address: whom.address };
  }
}

/** Of those of its kind. With the address, so that nobody gets another's rig banned by using its name. */
function keyOf({ kind, login, address }: Place): string {
  if (kind === 'rig') return `${login} at ${address}`;
  return kind === 'address' ? address : login;
}
