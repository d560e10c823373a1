/** Bans: by rig first, by address only when many rigs of it were banned. Each ends by itself and is listed. */

export interface Ban {
  readonly kind: 'rig' | 'address';
  /** A rig's login and address, or an address (IPv6 by /64). */
  readonly who: string;
  readonly reason: string;
  readonly untilMs: number;
}

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

  banRig(account: string, rig: string, addressKey: string, reason: string, nowMs: number): void {
    const untilMs = nowMs + this.#rules.banMs;
    const who = rigKey(account, rig, addressKey);
    this.#enter(this.#rigs, { kind: 'rig', who, reason, untilMs });
    const banned = this.list(nowMs).filter(
      (ban) => ban.kind === 'rig' && ban.who.endsWith(` at ${addressKey}`),
    );
    if (banned.length < this.#rules.rigsPerAddress) return;
    const many = `${banned.length} rigs of this address are banned; the last: ${reason}`;
    this.#enter(this.#addresses, { kind: 'address', who: addressKey, reason: many, untilMs });
  }

  ofRig(account: string, rig: string, addressKey: string, nowMs: number): Ban | undefined {
    return inForce(this.#rigs.get(rigKey(account, rig, addressKey)), nowMs);
  }

  ofAddress(addressKey: string, nowMs: number): Ban | undefined {
    return inForce(this.#addresses.get(addressKey), nowMs);
  }

  /** Those in force. */
  list(nowMs: number): Ban[] {
    for (const bans of [this.#rigs, this.#addresses]) {
      for (const ban of bans.values()) if (ban.untilMs <= nowMs) bans.delete(ban.who);
    }
    return [...this.#addresses.values(), ...this.#rigs.values()];
  }

  #enter(bans: Map<string, Ban>, ban: Ban): void {
    bans.delete(ban.who);
    bans.set(ban.who, ban);
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
function rigKey(account: string, rig: string, addressKey: string): string {
  return `${rig === '' ? account : `${account}.${rig}`} at ${addressKey}`;
}
