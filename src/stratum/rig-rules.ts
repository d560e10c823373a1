/**
 * What an operator may change while rigs are connected: this is its one owner. It is read at the moment of use, so a change
 * holds from then on, for everybody; what a session keeps from its beginning is said at {@link RigSettings}.
 */
import { isDeepStrictEqual } from 'node:util';
import { VARDIFF_SETTINGS, type VardiffSettings } from '../core/shares/vardiff.js';
import { type AccountPolicy, Accounts } from './admission/accounts.js';
import { AddressList } from './admission/address-list.js';
import { STRATUM_LIMITS, type StratumLimits } from './admission/limits.js';
import type { AgentRule } from './agents.js';
import { AddressOrders } from './operator/address-orders.js';
import type { ShareDifficulty } from './resume/share-target.js';

/**
 * What stands here may be given anew at any time. What is absent is as by default.
 *
 * Limits hold at once for everybody, but for `lineBytes`, `invalidMessages`, `invalidSubmits` and `invalidWindowMs`: a
 * session has those of its beginning. Nobody is closed because there are more connections or names than there may be now,
 * and bans end when they were to end.
 */
export interface RigSettings {
  /** Rigs that are here get their new target with their next job, at once where it differs by a factor of two. */
  readonly shareDifficulty: ShareDifficulty;
  /**
   * Asked at each authorize. A session that has authorized an account which may not mine here any more is ended; all others
   * go on. Nobody's password is kept, so who is here is not asked for a changed one before the next authorize.
   */
  readonly accounts?: AccountPolicy;
  /** As `shareDifficulty`; `startDifficulty` is for rigs that come from now on. */
  readonly vardiff?: Partial<VardiffSettings>;
  /** Quirks by the beginning of the agent's name. Byte orders of nonces are for rigs that subscribe from now on. */
  readonly agents?: readonly AgentRule[];
  readonly limits?: Partial<StratumLimits>;
  /** Addresses and prefixes of balancers: their new connections begin with a PROXY header, version 1 or 2. */
  readonly balancers?: readonly string[];
  /** Addresses and prefixes that alone may come; where it is empty, all may. Who is here and may not come any more is ended. */
  readonly allow?: readonly string[];
  /** Those that may not, also where they are allowed. */
  readonly deny?: readonly string[];
  /** What is another at single ports, by their names. A port that is not named keeps what it has of its own. */
  readonly ports?: Readonly<Record<string, PortSettings>>;
}

/** `off`: never. `also`: where it comes so. `only`: what comes without is turned away. */
export type Wanted = 'off' | 'also' | 'only';

/** Where absent, as all of the bridge has it. */
export interface PortSettings {
  readonly shareDifficulty?: ShareDifficulty;
  readonly vardiff?: Partial<VardiffSettings>;
  readonly accounts?: AccountPolicy;
  readonly balancers?: readonly string[];
  /** Of a PROXY header; `also` by default. It is known by the address that it comes from. */
  readonly proxy?: Wanted;
  /** Beside those of the bridge: both hold. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Of connections to come; `also` by default. Without a certificate there is none. */
  readonly tls?: Wanted;
}

/** What share targets follow from. */
export interface DifficultyRules {
  readonly shareDifficulty: ShareDifficulty;
  readonly vardiff: VardiffSettings;
  /** Of a rig that chose its difficulty itself. */
  readonly sharesPerSecond: number;
}

export class RigRules {
  /** For ever the same object, whose values change: to be kept whole, and read each time. */
  readonly limits: StratumLimits;
  readonly #ports: ReadonlyMap<string, PortRules>;

  /**
   * @param names of all ports that there ever are.
   * @param ordered what an operator allows and denies besides.
   */
  constructor(settings: RigSettings, names: readonly string[], ordered: AddressOrders = new AddressOrders()) {
    this.limits = { ...STRATUM_LIMITS, ...settings.limits };
    const rulesOf = (name: string): PortRules => new PortRules(name, this.limits, settings, ordered);
    this.#ports = new Map(names.map((name) => [name, rulesOf(name)]));
  }

  /** Of all ports together: a rig may come by another one the next time. */
  get accounts(): Pick<Accounts, 'areProven'> {
    return { areProven: [...this.#ports.values()].every(({ accounts }) => accounts.areProven) };
  }

  /** Throws where there is no such port. */
  at(name: string): PortRules {
    const rules = this.#ports.get(name);
    if (!rules) throw new Error(`no port has the name ${name}`);
    return rules;
  }

  /** All of it anew. */
  change(settings: RigSettings): void {
    Object.assign(this.limits, STRATUM_LIMITS, settings.limits);
    for (const rules of this.#ports.values()) rules.change(settings);
  }
}

/** What holds for those who come in by one port. */
export class PortRules {
  readonly name: string;
  readonly limits: StratumLimits;
  #own: PortSettings = {};
  #policy: AccountPolicy | undefined;
  #accounts!: Accounts;
  #difficulty!: DifficultyRules;
  #balancers!: AddressList;
  #allow!: readonly AddressList[];
  #deny!: readonly AddressList[];
  readonly #ordered: AddressOrders;
  #agents: readonly AgentRule[] = [];

  constructor(name: string, limits: StratumLimits, settings: RigSettings, ordered: AddressOrders) {
    this.name = name;
    this.limits = limits;
    this.#ordered = ordered;
    this.change(settings);
  }

  get accounts(): Accounts {
    return this.#accounts;
  }

  /** The same object until it changes. */
  get difficulty(): DifficultyRules {
    return this.#difficulty;
  }

  /** The same object until it changes. */
  get agents(): readonly AgentRule[] {
    return this.#agents;
  }

  get tls(): Wanted {
    return this.#own.tls ?? 'also';
  }

  get proxy(): Wanted {
    return this.#own.proxy ?? 'also';
  }

  get balancers(): AddressList {
    return this.#balancers;
  }

  /** Why nobody may come from this address, as a sentence; `undefined` where they may. */
  whyShut(host: string): string | undefined {
    const { allow, deny } = this.#ordered;
    if (deny.has(host) || this.#deny.some((list) => list.has(host)))
      return `the address ${host} is denied here`;
    const [ofBridge, own] = this.#allow;
    const isShut = (lists: readonly (AddressList | undefined)[]): boolean =>
      lists.some((list) => list && list.size > 0) && !lists.some((list) => list?.has(host));
    return isShut([ofBridge, allow]) || isShut([own]) ? `the address ${host} is not allowed here` : undefined;
  }

  change(settings: RigSettings): void {
    const own = settings.ports?.[this.name] ?? this.#own;
    this.#own = own;
    this.#balancers = new AddressList(own.balancers ?? settings.balancers ?? []);
    this.#allow = [settings.allow, own.allow].map((list = []) => new AddressList(list));
    this.#deny = [settings.deny, own.deny].map((list = []) => new AddressList(list));
    const policy = own.accounts ?? settings.accounts ?? { mode: 'open' };
    // It remembers what was found out about accounts.
    if (!isDeepStrictEqual(policy, this.#policy)) this.#accounts = new Accounts(policy);
    this.#policy = policy;
    const difficulty = difficultyOf(settings, own, this.limits);
    if (!isDeepStrictEqual(difficulty, this.#difficulty)) this.#difficulty = difficulty;
    const { agents = [] } = settings;
    if (!isDeepStrictEqual(agents, this.#agents)) this.#agents = agents;
  }
}

function difficultyOf(
  { shareDifficulty, vardiff }: RigSettings,
  own: PortSettings,
  { sharesPerSecond }: StratumLimits,
): DifficultyRules {
  return {
    shareDifficulty: own.shareDifficulty ?? shareDifficulty,
    vardiff: { ...VARDIFF_SETTINGS, ...vardiff, ...own.vardiff },
    sharesPerSecond,
  };
}
