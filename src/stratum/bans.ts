/** Bans of rigs and of addresses. Each ends by itself and is listed. */
import type { Ban } from '../bridge/rig-watch.js';

export interface BanRules {
  readonly banMs: number;
  /** Rigs banned at one address within `banMs` that ban the address. */
  readonly rigsPerAddress: number;
  /** Bans that are remembered. */
  readonly max: number;
}

export class Bans {
  readonly #rules: BanRules;
  readonly #rigs = new Map<string, Ban>();
  readonly #addresses = new Map<string, Ban>();

  constructor(rules: BanRules) {
    this.#rules = rules;
  }

  /** @param goodRigs of this address: it is not banned while they are as many as the banned. */
  banRig(account: string, rig: string, address: string, reason: string, nowMs: number, goodRigs = 0): void {
    const untilMs = nowMs + this.#rules.banMs;
    const login = rig === '' ? account : `${account}.${rig}`;
    this.#enter(this.#rigs, { kind: 'rig', login, address, reason, untilMs });
    const banned = this.list(nowMs).filter((ban) => ban.kind === 'rig' && ban.address === address);
    if (banned.length < this.#rules.rigsPerAddress || banned.length <= goodRigs) return;
    this.banAddress(address, `${banned.length} rigs of this address are banned; the last: ${reason}`, nowMs);
  }

  banAddress(address: string, reason: string, nowMs: number): void {
    const untilMs = nowMs + this.#rules.banMs;
    this.#enter(this.#addresses, { kind: 'address', login: '', address, reason, untilMs });
  }

  ofRig(account: string, rig: string, address: string, nowMs: number): Ban | undefined {
    const login = rig === '' ? account : `${account}.${rig}`;
    return inForce(this.#rigs.get(keyOf({ login, address })), nowMs);
  }

  ofAddress(address: string, nowMs: number): Ban | undefined {
    return inForce(this.#addresses.get(keyOf({ login: '', address })), nowMs);
  }

  /** Those in force. */
  list(nowMs: number): Ban[] {
    for (const bans of [this.#rigs, this.#addresses]) {
      for (const ban of bans.values()) if (ban.untilMs <= nowMs) bans.delete(keyOf(ban));
    }
    return [...this.#addresses.values(), ...this.#rigs.values()];
  }

  #enter(bans: Map<string, Ban>, ban: Ban): void {
    bans.delete(keyOf(ban));
    bans.set(keyOf(ban), ban);
    for (const who of bans.keys()) {
      if (bans.size <= this.#rules.max) return;
      bans.delete(who);
    }
  }
}

function inForce(ban: Ban | undefined, nowMs: number): Ban | undefined {
  return ban && ban.untilMs > nowMs ? ban : undefined;
}

/** With the address, so that nobody gets another's rig banned by using its name. */
function keyOf({ login, address }: Pick<Ban, 'login' | 'address'>): string {
  return `${login} at ${address}`;
}
