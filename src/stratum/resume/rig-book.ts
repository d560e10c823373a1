/** What is known of rigs and accounts beyond their sessions: hash rates, and the difficulty a rig had. */
import { placeText, rigKey } from '../../core/names/names.js';
import { HashRateMeter } from '../../core/shares/hash-rate.js';
import type { Rejection } from '../../core/shares/rejections.js';
import type { Accounts, Login } from '../admission/accounts.js';
import type { StratumLimits } from '../admission/limits.js';
import { forgetOldest } from '../bounded.js';
import {
  type AccountRecord,
  type CountedShare,
  type Forgettable,
  RigRecord,
  type RigSession,
} from './rig-record.js';

/** What a book goes by, as it is at the time. */
interface RigBookRules {
  readonly limits: Pick<StratumLimits, 'remembered'>;
  readonly accounts: Pick<Accounts, 'areProven'>;
}

/** How fine the order of forgetting is. */
const MOVE_EVERY_MS = 60_000;

/** Bounded: who has been silent longest is forgotten first. */
export class RigBook {
  readonly #rules: RigBookRules;
  /** Those that had a share. */
  readonly #rigs = new Map<string, RigRecord>();
  /** Those that are connected: as many as sessions have logins. A name without a share leaves nothing behind. */
  readonly #present = new Map<string, RigRecord>();
  readonly #accounts = new Map<string, AccountRecord>();

  /** Login, and where anybody may use it also its address -> the difficulty it had, longest unused first. */
  readonly #difficulties: Map<string, number>;

  /** @param difficulties of an earlier start. */
  constructor(rules: RigBookRules, difficulties: RigBook['difficulties'] = []) {
    this.#rules = rules;
    this.#difficulties = new Map(difficulties);
  }

  /** A session has authorized the login; it has not before. */
  entered(login: Login, session: RigSession, addressKey: string): void {
    const record = this.recordOf(login);
    record.entered(session, addressKey);
    this.#present.set(record.key, record);
  }

  /** That session has ended. */
  left(login: Login, session: RigSession): void {
    const record = this.#present.get(rigKey(login));
    record?.left(session);
    if (record?.sessions.length === 0) this.#present.delete(record.key);
  }

  /**
   * An accepted share.
   * @param record as {@link recordOf} found it; good for as long as a session of the login is open.
   */
  share(record: RigRecord, share: CountedShare, nowMs: number): void {
    const { difficulty, nextDifficulty, addressKey, sinceMs } = share;
    record.accept(share, nowMs);
    const isNews = record.nextDifficulty !== nextDifficulty || record.addressKey !== addressKey;
    record.nextDifficulty = nextDifficulty;
    record.addressKey = addressKey ?? '';
    const hasMoved = this.#touch(this.#rigs, record.key, record, nowMs);
    if (nextDifficulty !== undefined && addressKey !== undefined && (isNews || hasMoved))
      this.#remember(record.login, addressKey, nextDifficulty);
    const account = this.#accountOf(record, sinceMs);
    account.meter.add(difficulty, nowMs);
    account.lastShareAtMs = nowMs;
    this.#touch(this.#accounts, account.login.account, account, nowMs);
  }

  /** Of a login that is connected or had a share; what comes under another name is nobody's. */
  rejected(login: Login, reason: Rejection, nowMs: number): void {
    this.find(login)?.reject(reason, nowMs);
  }

  /** What the rig had when it was here last. */
  difficultyOf(login: Login, addressKey: string): number | undefined {
    return this.#difficulties.get(this.#placeOf(login, addressKey));
  }

  /** By which its difficulty is remembered. */
  #placeOf(login: Login, addressKey: string): string {
    return this.#rules.accounts.areProven ? rigKey(login) : placeText(login, addressKey);
  }

  /** What rigs had, by place, for the next start; longest unused first. */
  get difficulties(): readonly (readonly [place: string, difficulty: number])[] {
    return [...this.#difficulties];
  }

  find(login: Login): RigRecord | undefined {
    const key = rigKey(login);
    return this.#present.get(key) ?? this.#rigs.get(key);
  }

  /**
   * Those that had a share, longest silent first, about; then those that are connected and had none. As they are now: a list
   * that is gone through in slices must not change meanwhile, and this takes a millisecond or two for 100,000.
   */
  rigs(): readonly RigRecord[] {
    return [...this.#rigs.values(), ...[...this.#present.values()].filter(({ isListed }) => !isListed)];
  }

  /** Those that are connected, as they come and go. */
  get present(): Iterable<RigRecord> {
    return this.#present.values();
  }

  get accounts(): readonly AccountRecord[] {
    return [...this.#accounts.values()];
  }

  /** What is known of it, or is from its first share on. */
  recordOf(login: Login): RigRecord {
    return this.find(login) ?? new RigRecord(login, rigKey(login));
  }

  #accountOf(record: RigRecord, sinceMs: number): AccountRecord {
    if (record.account?.isListed) return record.account;
    const { account } = record.login;
    record.account = this.#accounts.get(account) ?? {
      login: { account, rig: '' },
      meter: new HashRateMeter(sinceMs),
      lastShareAtMs: 0,
      movedAtMs: 0,
      isListed: false,
    };
    return record.account;
  }

  #remember(login: Login, addressKey: string, difficulty: number): void {
    const place = this.#placeOf(login, addressKey);
    this.#difficulties.delete(place);
    this.#difficulties.set(place, difficulty);
    forgetOldest(this.#difficulties, this.#rules.limits.remembered);
  }

  /** It is the last one to be forgotten now. True when it was not for a while. */
  #touch<R extends Forgettable>(records: Map<string, R>, key: string, record: R, nowMs: number): boolean {
    if (record.isListed && nowMs - record.movedAtMs < MOVE_EVERY_MS) return false;
    record.isListed = true;
    record.movedAtMs = nowMs;
    records.delete(key);
    records.set(key, record);
    forgetOldest(records, this.#rules.limits.remembered, (oldest) => {
      oldest.isListed = false;
    });
    return true;
  }
}
