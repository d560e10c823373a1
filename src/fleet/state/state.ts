/** What holds over all fronts of a fleet, as the hub has it. */
import type {
  Claim,
  Claimed,
  FleetState,
  FrontNews,
  FrontState,
  KnownTenure,
  LateSubmit,
  LateVerdict,
  OrderChange,
  Spread,
} from '../../bridge/fleet/state.js';
import { frontOfToken } from '../../bridge/fleet/state.js';
import type { Clock } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import { Directory } from './directory.js';
import { FleetOrders, type OrdersParts } from './orders.js';
import { AddressUses } from './uses.js';

export interface StateParts extends Omit<OrdersParts, 'maxOwnBans'> {
  readonly clock: Clock;
  /** How long a tenure waits for its rig once its session has ended. */
  readonly stayMs: number;
  readonly limits?: Partial<StateLimits>;
}

export interface StateLimits {
  readonly tenures: number;
  readonly difficulties: number;
  /** Of the bridge itself. */
  readonly bans: number;
}

/** Of 100,000 rigs, as many again that have gone; a tenure takes about a kilobyte. */
export const STATE_LIMITS: StateLimits = { tenures: 200_000, difficulties: 200_000, bans: 20_000 };

const LATE_EVERY_MS = 10_000;

export class HubState {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #limits: StateLimits;
  readonly #directory: Directory;
  readonly #orders: FleetOrders;
  readonly #uses = new AddressUses();
  readonly #fronts = new Map<number, FrontState>();
  /** Tenures that a front has not given up since that was told. */
  readonly #late = new Map<number, { readonly tenures: number; readonly toldAtMs: number }>();
  /** By place, told longest ago first. */
  readonly #difficulties = new Map<string, number>();

  constructor({ clock, stayMs, limits, ...orders }: StateParts) {
    this.#clock = clock;
    this.#log = orders.log;
    this.#limits = { ...STATE_LIMITS, ...limits };
    this.#directory = new Directory({ tenures: this.#limits.tenures, stayMs });
    this.#orders = new FleetOrders({ ...orders, maxOwnBans: this.#limits.bans });
  }

  /** Tenures that are known. */
  get tenures(): number {
    return this.#directory.size;
  }

  /** Which front has the tenure of this token; `undefined` where none that is alive has one. */
  frontOf(token: string): number | undefined {
    return this.#directory.frontOf(token);
  }

  get orders(): FleetOrders['all'] {
    return this.#orders.all;
  }

  /** What the front of this number asks by. */
  deskOf(number: number): FleetState {
    return {
      tell: (news) => this.#told(number, news),
      has: (tenures) => this.#has(number, tenures),
      claim: (claim) => this.#claim(number, claim),
      judge: (at, submit) => this.#judge(at, submit),
      change: (changes) => this.#changed(number, changes),
    };
  }

  /**
   * A front has begun; one of the same number that was there before is dead. Resolves once it knows all bans and orders.
   *
   * @param number below `MAX_NUMBERERS`.
   */
  async join(number: number, front: FrontState): Promise<void> {
    this.leave(number);
    this.#fronts.set(number, front);
    this.#uses.join(number);
    await front.begin(this.#orders.all);
  }

  /** It is dead, or has stopped. */
  leave(number: number): void {
    if (!this.#fronts.delete(number)) return;
    this.#uses.leave(number);
    this.#directory.died(number, this.#clock.nowMs());
  }

  /** Called about once a second. */
  async tick(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    this.#directory.expire(nowMs);
    for (const [number, front] of this.#fronts) front.hear({ addresses: this.#uses.of(number) });
    await this.#orders.tick(nowMs);
  }

  /** Resolves once all is written down that outlives a restart. */
  close(): Promise<void> {
    return this.#orders.close();
  }

  #told(number: number, { gone, difficulties, addresses }: FrontNews): void {
    // A batch may come before its front has joined.
    if (!this.#fronts.has(number)) return;
    for (const token of gone) this.#directory.gone(number, token);
    for (const [place, difficulty] of difficulties) this.#remember(place, difficulty);
    this.#uses.tell(number, addresses);
  }

  #has(number: number, tenures: readonly KnownTenure[]): void {
    if (!this.#fronts.has(number)) return;
    const nowMs = this.#clock.nowMs();
    for (const tenure of tenures) this.#directory.has(number, tenure, nowMs);
  }

  async #claim(asking: number, claim: Claim): Promise<Claimed> {
    const former = await this.#former(asking, claim);
    // Until that front tells of it, it is one that waits there.
    if (former) this.#directory.has(asking, former.tenure, this.#clock.nowMs());
    const difficulties = claim.places.flatMap((place): [string, number][] => {
      const difficulty = this.#difficulties.get(place);
      return difficulty === undefined ? [] : [[place, difficulty]];
    });
    return { former, difficulties };
  }

  async #former(asking: number, claim: Claim): Promise<Claimed['former']> {
    const found = this.#directory.find(asking, claim, this.#clock.nowMs());
    if (found) return 'left' in found ? found.left : await this.#givenUp(found.at, claim);
    // It may be too new to have been told.
    const at = frontOfToken(claim.named ?? '');
    return at === undefined || at === asking ? undefined : await this.#givenUp(at, claim);
  }

  async #givenUp(number: number, claim: Claim): Promise<Claimed['former']> {
    const front = this.#fronts.get(number);
    if (!front) return undefined;
    try {
      const tenure = await front.giveUp(claim);
      if (!tenure) return undefined;
      this.#directory.gone(number, tenure.token);
      return { front: number, tenure, agoMs: 0 };
    } catch (error) {
      this.#tellOfLate(number, error as Error);
      // What it knew last may be had, if it is dead.
      const left = this.#fronts.has(number)
        ? undefined
        : this.#directory.find(number, claim, this.#clock.nowMs());
      return left && 'left' in left ? left.left : undefined;
    }
  }

  /** A line for each rig would be thousands of them while a front is behind. */
  #tellOfLate(front: number, { message: error }: Error): void {
    const late = this.#late.get(front) ?? { tenures: 0, toldAtMs: Number.NEGATIVE_INFINITY };
    const nowMs = this.#clock.nowMs();
    const isTold = nowMs - late.toldAtMs >= LATE_EVERY_MS;
    const tenures = late.tenures + 1;
    this.#late.set(front, isTold ? { tenures: 0, toldAtMs: nowMs } : { ...late, tenures });
    if (isTold) this.#log.warn({ front, tenures, error }, 'a front gives tenures up too late, or not at all');
  }

  async #judge(at: number, submit: LateSubmit): Promise<LateVerdict | undefined> {
    return await this.#fronts.get(at)?.judge(submit);
  }

  async #changed(by: number, changes: readonly OrderChange[]): Promise<Spread> {
    const inForce = this.#orders.change(changes);
    const others: Pick<FrontState, 'obey'>[] = [...this.#fronts].flatMap(([number, front]) =>
      number === by ? [] : [front],
    );
    // Another may have had a ban of the same before.
    const mended = inForce.filter((change, i) => isAnother(change, changes[i]));
    if (mended.length > 0) others.push({ obey: async () => (await this.#fronts.get(by)?.obey(mended)) ?? 0 });
    const met = await Promise.all(others.map((front) => this.#heard(front, inForce)));
    const sessions = met.reduce((sum, each) => sum + each, 0);
    // Bans of the bridge itself may come by the hundred: they are written down a little later.
    return { sessions, isKept: changes.every(isOwnBan) || (await this.#orders.keep()) };
  }

  async #heard(front: Pick<FrontState, 'obey'>, changes: readonly OrderChange[]): Promise<number> {
    try {
      return await front.obey(changes);
    } catch (error) {
      // One that has died begins with all of them when it is started again.
      this.#log.warn({ error: (error as Error).message }, 'a front has not heard what was ordered or banned');
      return 0;
    }
  }

  #remember(place: string, difficulty: number): void {
    this.#difficulties.delete(place);
    this.#difficulties.set(place, difficulty);
    for (const oldest of this.#difficulties.keys()) {
      if (this.#difficulties.size <= this.#limits.difficulties) return;
      this.#difficulties.delete(oldest);
    }
  }
}

function isOwnBan(change: OrderChange): boolean {
  return change.kind === 'ban' && change.ban.by === '';
}

function isAnother(change: OrderChange, told: OrderChange | undefined): boolean {
  return change.kind === 'ban' && told?.kind === 'ban' && change.ban !== told.ban;
}
