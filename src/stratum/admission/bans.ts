/**
 * Bans of rigs, logins and addresses: by the bridge itself and by an operator. Those with an end are over by themselves; all
 * are listed, and all outlive a restart.
 */
import { loginText } from '../../core/names/names.js';
import type { Ban, BanOrder } from '../../operations/bans.js';
import { timeOf } from '../../operations/entry/values.js';
import { whomOf } from '../../operations/orders/standing.js';
import { forgetOldest } from '../bounded.js';
import type { Login } from './accounts.js';
import type { StratumLimits } from './limits.js';

type BanRules = Pick<StratumLimits, 'banMs' | 'bannedRigsPerAddress' | 'remembered'>;

/** Told of each ban as it comes and goes; bans that are forgotten because there are too many go untold. */
export interface BanWitness {
  /** One that no other ban has, of an earlier start neither. */
  newId(): string;
  banned(ban: Ban): void;
  /** @param by absent when it was over. */
  unbanned(ban: Ban, by: string | undefined): void;
}

type Terms = Pick<Ban, 'reason' | 'since' | 'until' | 'by'>;

/** Of an operator. Each is written down with every order. */
export const MAX_ORDERED_BANS = 10_000;
/** Of the bridge itself: so many of those that end last outlive a restart, of rigs and of addresses each. */
export const MAX_KEPT_BANS = 10_000;

export class Bans {
  readonly #rules: BanRules;
  readonly #witness: BanWitness;
  readonly #rigs: BanMap = new Map();
  readonly #addresses: BanMap = new Map();
  /**
   * Address -> which of its rigs are banned. Of this start alone: who mined well beside the others is not known any more, and a
   * farm must not be weighed by its bad rigs only.
   */
  readonly #rigsOf = new Map<string, Set<string>>();
  #changes = 0;
  readonly #ordered: BanMap = new Map();
  /** Given at other bridges, which tell of their ends. */
  readonly #heard = new WeakSet<Ban>();

  /** @param kept those that outlived a restart. */
  constructor(rules: BanRules, witness: BanWitness, kept: readonly Ban[] = []) {
    this.#rules = rules;
    this.#witness = witness;
    for (const ban of kept) this.#bansOf(ban).set(whomOf(ban), ban);
  }

  /** Rises with each ban that comes or goes. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * False where the rig is banned already: that ban stands as it is.
   *
   * @param goodRigs of this address: it is not banned while they are as many as the banned.
   */
  banRig(
    account: string,
    rig: string,
    address: string,
    reason: string,
    nowMs: number,
    goodRigs = 0,
  ): boolean {
    const login = loginText({ account, rig });
    const subject: Subject = { kind: 'rig', login, address };
    this.#expireFirst(nowMs);
    this.#countRig(subject);
    const isNew = find(this.#rigs, subject, nowMs) === undefined;
    if (isNew) this.#enter(this.#rigs, this.#own(subject, reason, nowMs));
    const banned = this.#rigsOf.get(address)?.size ?? 0;
    if (banned >= this.#rules.bannedRigsPerAddress && banned > goodRigs)
      this.banAddress(address, `${banned} rigs of this address are banned; the last: ${reason}`, nowMs);
    return isNew;
  }

  /** False where it is banned already: that ban stands as it is. */
  banAddress(address: string, reason: string, nowMs: number): boolean {
    if (this.ofAddress(address, nowMs)) return false;
    this.#enter(this.#addresses, this.#own({ kind: 'address', address }, reason, nowMs));
    return true;
  }

  /** By an operator; in place of a ban of the same, whose id it has then. `undefined` when there are too many. */
  order(whom: BanOrder, terms: Terms): Ban | undefined {
    const subject = subjectOf(whom);
    const former = this.#ordered.get(whomOf(subject));
    if (!former && this.#ordered.size >= MAX_ORDERED_BANS) return undefined;
    const ban = { id: former?.id ?? this.#witness.newId(), ...subject, ...terms };
    this.#ordered.set(whomOf(ban), ban);
    this.#changes++;
    this.#witness.banned(ban);
    return ban;
  }

  /** An operator's, given at another bridge, where it was told; null: taken back there. @param whom as {@link whomOf} says. */
  hear(whom: string, ban: Ban | null): void {
    this.#ordered.delete(whom);
    if (ban) this.#ordered.set(whom, ban);
    if (ban) this.#heard.add(ban);
    this.#changes++;
  }

  /** Takes a ban back, whoever gave the order; `undefined` when there is none of this id. */
  unban(id: string, by: string): Ban | undefined {
    for (const bans of this.#all)
      for (const [key, ban] of bans) {
        if (ban.id !== id) continue;
        this.#remove(bans, key, ban);
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
      find(ordered, { kind: 'account', login: account }, nowMs) ??
      find(ordered, { kind: 'login', login }, nowMs) ??
      find(ordered, { kind: 'rig', login, address }, nowMs) ??
      find(this.#rigs, { kind: 'rig', login, address }, nowMs)
    );
  }

  ofAddress(address: string, nowMs: number): Ban | undefined {
    const subject = { kind: 'address', address } as const;
    return find(this.#ordered, subject, nowMs) ?? find(this.#addresses, subject, nowMs);
  }

  /** Those in force, an operator's first. */
  list(nowMs: number): Ban[] {
    this.expire(nowMs);
    return this.#all.flatMap((bans) => [...bans.values()]);
  }

  /** What is to outlive a restart. */
  kept(nowMs: number): Ban[] {
    this.expire(nowMs);
    const own = [this.#addresses, this.#rigs].flatMap((bans) => [...bans.values()].slice(-MAX_KEPT_BANS));
    return [...this.#ordered.values(), ...own];
  }

  /** In force, or over for less than the time between two looks. */
  get size(): number {
    return this.#all.reduce((sum, { size }) => sum + size, 0);
  }

  /** Forgets those that are over. */
  expire(nowMs: number): void {
    const now = timeOf(nowMs);
    for (const bans of this.#all)
      for (const [key, ban] of bans) {
        if (isInForce(ban, now)) continue;
        this.#remove(bans, key, ban);
        if (!this.#heard.has(ban)) this.#witness.unbanned(ban, undefined);
      }
  }

  /** They end in their order, nearly always: each ban looks at no more than are over. */
  #expireFirst(nowMs: number): void {
    const now = timeOf(nowMs);
    for (const [key, ban] of this.#rigs) {
      if (isInForce(ban, now)) return;
      this.#remove(this.#rigs, key, ban);
      this.#witness.unbanned(ban, undefined);
    }
  }

  #remove(bans: BanMap, key: string, ban: Ban): void {
    bans.delete(key);
    this.#changes++;
    if (bans !== this.#rigs) return;
    const { address = '' } = ban;
    const rigs = this.#rigsOf.get(address);
    rigs?.delete(key);
    if (rigs?.size === 0) this.#rigsOf.delete(address);
  }

  /** Where it belongs. */
  #bansOf({ kind, by }: Pick<Ban, 'kind' | 'by'>): BanMap {
    if (by !== null) return this.#ordered;
    return kind === 'address' ? this.#addresses : this.#rigs;
  }

  get #all(): readonly BanMap[] {
    return [this.#ordered, this.#addresses, this.#rigs];
  }

  #own(subject: Subject, reason: string, nowMs: number): Ban {
    const until = timeOf(nowMs + this.#rules.banMs);
    return { id: this.#witness.newId(), ...subject, reason, since: timeOf(nowMs), until, by: null };
  }

  /** One that may be over, and was not looked at since, is replaced. */
  #enter(bans: BanMap, ban: Ban): void {
    const key = whomOf(ban);
    const entered = { ...ban, id: bans.get(key)?.id ?? ban.id };
    bans.delete(key);
    bans.set(key, entered);
    this.#changes++;
    this.#witness.banned(entered);
    this.#forgetOldest(bans);
  }

  /** Of those of the bridge itself. */
  #forgetOldest(bans: BanMap): void {
    if (bans !== this.#rigs && bans !== this.#addresses) return;
    forgetOldest(bans, this.#rules.remembered, (ban, key) => this.#remove(bans, key, ban));
  }

  #countRig(subject: Subject): void {
    const { address = '' } = subject;
    this.#rigsOf.set(address, (this.#rigsOf.get(address) ?? new Set()).add(whomOf(subject)));
  }
}

/** What a banned rig is told, and the log. */
export function banWords({ reason, until }: Ban): string {
  return until === null ? `banned: ${reason}` : `banned until ${until}: ${reason}`;
}

/** Whether the ban would have kept this session out. */
export function meets(ban: Ban, logins: readonly Login[], addressKey: string): boolean {
  if (ban.address !== undefined && ban.address !== addressKey) return false;
  if (ban.kind === 'address') return true;
  if (ban.kind === 'account') return logins.some(({ account }) => account === ban.login);
  return logins.some((login) => loginText(login) === ban.login);
}

/** That is in force. Nothing is put together where there is nothing to be found, as each of many rigs is asked about. */
function find(bans: BanMap, subject: Subject, nowMs: number): Ban | undefined {
  if (bans.size === 0) return undefined;
  const ban = bans.get(whomOf(subject));
  return ban && isInForce(ban, timeOf(nowMs)) ? ban : undefined;
}

/** @param now as bans have times: these are compared as they are written, as each second looks at many thousands. */
function isInForce({ until }: Ban, now: string): boolean {
  return until === null || until > now;
}

type Subject = Pick<Ban, 'kind' | 'login' | 'address'>;
type BanMap = Map<string, Ban>;

function subjectOf(whom: BanOrder): Subject {
  switch (whom.kind) {
    case 'rig':
      return { kind: 'rig', login: loginText(whom), address: whom.address };
    case 'login':
      return { kind: 'login', login: loginText(whom) };
    case 'account':
      return { kind: 'account', login: whom.account };
    case 'address':
      return { kind: 'address', address: whom.address };
  }
}
