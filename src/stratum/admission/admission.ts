/** How many connections there may be, in all and from one address; banned addresses have none, and nobody while rigs are to go. */
import type { Log } from '../../core/names/log.js';
import type { Address, Addresses } from './address.js';
import { type Bans, banWords } from './bans.js';
import type { StratumLimits } from './limits.js';

interface AdmissionParts {
  readonly limits: Pick<StratumLimits, 'connections' | 'connectionsPerAddress'>;
  readonly bans: Bans;
  readonly addresses: Addresses;
  /** Why nobody is let in at all, while that is so. */
  readonly whyShut: () => string | undefined;
  /** Ends one session for another; false where none has to go. */
  readonly makeRoom: (isOwed: boolean, nowMs: number) => boolean;
  readonly log: Log;
}

/** Of those that may be: a session that has ended for another closes a little later. */
const LEAVING_PART = 64;
/** A line of the log about connections that are refused or ended, of each reason. */
const SAID_EVERY_MS = 60_000;

export class Admission {
  readonly #parts: AdmissionParts;
  #admitted = 0;
  readonly #full = new Seldom();
  readonly #greedy = new Seldom();

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  get admitted(): number {
    return this.#admitted;
  }

  /** Why not, as a sentence; `undefined` when the connection counts from now on, until `leave`. */
  admit(address: Address, nowMs: number): string | undefined {
    const { bans, addresses, whyShut } = this.#parts;
    const ban = bans.ofAddress(address.key, nowMs);
    const why =
      whyShut() ?? this.#overOwnLimit(address, nowMs) ?? this.#overLimit(address, ban !== undefined, nowMs);
    if (why !== undefined) return why;
    // It hears why on a session that is closed then.
    if (ban && !address.hearsOfBan(nowMs)) return banWords(ban);
    addresses.arrived(address);
    this.#admitted++;
    return undefined;
  }

  leave(address: Address): void {
    this.#parts.addresses.left(address);
    this.#admitted--;
  }

  #overOwnLimit(address: Address, nowMs: number): string | undefined {
    const { limits, log } = this.#parts;
    const { key, connections } = address;
    if (connections < limits.connectionsPerAddress) return undefined;
    const why = `${key} has ${connections} connections already`;
    this.#greedy.say(nowMs, (times) =>
      log.warn(
        { event: 'connections', address: key, connections, refused: times },
        `The address ${key} has ${connections} connections, as many as one may have: ${times} refused. stratum.limits.connectionsPerAddress says how many, in proportion where files allow fewer in all`,
      ),
    );
    return why;
  }

  #overLimit(address: Address, isBanned: boolean, nowMs: number): string | undefined {
    const { limits, makeRoom, log } = this.#parts;
    const { connections } = limits;
    if (this.#admitted < connections) return undefined;
    const isOwed = address.goodRigs(nowMs) > address.connections;
    const mayLeave = this.#admitted < connections + Math.max(1, Math.floor(connections / LEAVING_PART));
    const isRoom = !isBanned && mayLeave && makeRoom(isOwed, nowMs);
    this.#full.say(nowMs, (times) =>
      log.warn(
        { event: 'connections', connections, more: times },
        `All ${connections} connections are taken: ${times} more came, for which sessions without a share were ended or which were refused. Raise stratum.limits.connections, or the limit of open files where that is lower`,
      ),
    );
    return isRoom ? undefined : `there are ${connections} connections already`;
  }
}

/** Counts what happens, and has it said once in a while. */
class Seldom {
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #times = 0;

  say(nowMs: number, say: (times: number) => void): void {
    this.#times++;
    if (nowMs - this.#saidAtMs < SAID_EVERY_MS) return;
    this.#saidAtMs = nowMs;
    say(this.#times);
    this.#times = 0;
  }
}
