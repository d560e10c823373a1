/**
 * Who works on which chain: what each chain has of the hash rate of its members (rigs), and which move would even it out.
 *
 * All chains pay alike, so balance is not about money: it keeps every chain's share of the hash rate, and so the time
 * between its blocks, as the network means it to be. A move costs a rig one job, so a small imbalance is left alone.
 * Members are looked at one by one, in any order: with each move the loads come closer, so moves end.
 */

/** Chains whose loads differ by less than this part of the mean load are balanced. */
const TOLERANCE = 0.25;
/** Members below this part of the usual on their chain stay: all of them together have little of its load. */
const SMALL = 0.25;

/** Of one chain. Weights that are not known, written as 0, count as the mean of those that are. */
class Load {
  #known = 0;
  #knownCount = 0;
  #unknown = 0;

  get count(): number {
    return this.#knownCount + this.#unknown;
  }

  get known(): readonly [sum: number, count: number] {
    return [this.#known, this.#knownCount];
  }

  total(usual: number): number {
    return this.#known + this.#unknown * usual;
  }

  add(weight: number): void {
    if (weight > 0) {
      this.#known += weight;
      this.#knownCount++;
    } else this.#unknown++;
  }

  remove(weight: number): void {
    if (weight > 0) {
      this.#knownCount--;
      // What rounding leaves of a sum is gone with its last member.
      this.#known = this.#knownCount === 0 ? 0 : Math.max(0, this.#known - weight);
    } else this.#unknown--;
  }
}

export class ChainLoads {
  readonly #loads = new Map<number, Load>();

  /** Not negative; 0 while unknown. The weight given to `remove` is the one that was added. */
  add(chainId: number, weight: number): void {
    const load = this.#loads.get(chainId) ?? new Load();
    this.#loads.set(chainId, load);
    load.add(weight);
  }

  remove(chainId: number, weight: number): void {
    const load = this.#loads.get(chainId);
    load?.remove(weight);
    if (load?.count === 0) this.#loads.delete(chainId);
  }

  /** In hashes a second, as far as they are known. */
  on(chainId: number): number {
    return this.#total(chainId, this.#usual());
  }

  /** The least loaded of these; the first of several. */
  lightestOf(chains: readonly number[]): number | undefined {
    const usual = this.#usual();
    let [lightest, least] = [chains[0], Number.POSITIVE_INFINITY];
    for (const chainId of chains) {
      const total = this.#total(chainId, usual);
      if (total < least) [lightest, least] = [chainId, total];
    }
    return lightest;
  }

  /** Where a member of this weight had better be than on its chain; `undefined` when it is well there, or nothing is open. */
  betterFor(chainId: number, weight: number, open: readonly number[]): number | undefined {
    const lightest = this.lightestOf(open);
    if (lightest === undefined || !open.includes(chainId)) return lightest;
    const usual = this.#usual();
    const own = weight > 0 ? weight : usual;
    const from = this.#loads.get(chainId);
    if (!from || lightest === chainId) return undefined;
    const total = from.total(usual);
    const gap = total - this.#total(lightest, usual);
    const all = open.reduce((sum, each) => sum + this.#total(each, usual), 0);
    const tolerance = (TOLERANCE * all) / open.length;
    const fillsEmpty = !this.#loads.has(lightest) && from.count > 1;
    // One that would nearly swap the two loads is no gain, and what is measured of its weight goes up and down.
    if (gap <= tolerance || (own > gap - tolerance / 4 && !fillsEmpty)) return undefined;
    return own < (SMALL * total) / from.count ? undefined : lightest;
  }

  #total(chainId: number, usual: number): number {
    return this.#loads.get(chainId)?.total(usual) ?? 0;
  }

  /** The mean weight of those that are known. */
  #usual(): number {
    let [sum, count] = [0, 0];
    for (const { known } of this.#loads.values()) {
      sum += known[0];
      count += known[1];
    }
    return count > 0 && sum > 0 ? sum / count : 1;
  }
}
