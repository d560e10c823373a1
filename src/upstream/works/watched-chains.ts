/** The chains of one node that are worked on, oldest first, and which of them are no longer wanted. */
import type { Work } from '../../core/work/work.js';
import type { ChainWatch } from './chain-watch.js';
import { SpareChains, type SpareChainsParts } from './spare-chains.js';

export class WatchedChains {
  /** One without work waits for its stream to say that the chain can be mined again. */
  readonly #watches = new Map<number, ChainWatch>();
  readonly #spare: SpareChains;
  readonly #dropped: (watch: ChainWatch) => void;

  /** @param dropped called with each that is given up. */
  constructor(parts: SpareChainsParts, dropped: (watch: ChainWatch) => void) {
    this.#spare = new SpareChains(parts);
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Without the spare ones, with or without work. */
  get wanted(): number {
    return this.#watches.size - this.#spare.size;
  }

  get all(): ChainWatch[] {
    return [...this.#watches.values()];
  }

  /** Live ones, one a chain, spare chains included. */
  get works(): Work[] {
    return this.all.map(({ work }) => work).filter((work) => work !== undefined);
  }

  /** Since any of their streams said anything; `undefined` while none has. */
  get silentMs(): number | undefined {
    const silent = this.all.map((watch) => watch.silentMs).filter((ms) => ms !== undefined);
    return silent.length === 0 ? undefined : Math.min(...silent);
  }

  /** Chains with work that rigs may begin on. */
  get served(): number {
    return this.works.filter(({ chainId }) => !this.#spare.has(chainId)).length;
  }

  get(chainId: number): ChainWatch | undefined {
    return this.#watches.get(chainId);
  }

  has(chainId: number): boolean {
    return this.#watches.has(chainId);
  }

  /** One of these chains, picked by a number from 0 to below 1. */
  anyWithoutWork(chainIds: readonly number[], random: number): number | undefined {
    const missing = chainIds.filter((chainId) => !this.get(chainId)?.work);
    return missing[Math.floor(random * missing.length)];
  }

  isSpare(chainId: number): boolean {
    return this.#spare.has(chainId);
  }

  add(watch: ChainWatch): void {
    this.#watches.set(watch.chainId, watch);
  }

  /** So many are handed out, if there are as many; of the others those without work are dropped, the rest is spare. */
  keep(count: number): void {
    this.#keep(count, undefined);
  }

  /** The same, and this one is among them if it is there. */
  want(chainId: number, count: number): void {
    if (this.#spare.delete(chainId)) this.#keep(count, chainId);
  }

  /** Whether there is room for one more, or can be made, where so many are to be handed out. */
  hasRoom(count: number): boolean {
    return this.wanted < count || this.all.some(({ work }) => work === undefined);
  }

  makeRoom(count: number): void {
    if (this.wanted >= count) this.#dropOneWithoutWork();
  }

  /** Spare ones that nobody needs any more. */
  dropDue(): void {
    for (const chainId of this.#spare.due()) this.drop(this.#watches.get(chainId));
  }

  /** For a node that cannot bear more: the spare ones have no streams, and are as old as the timer lets them be. */
  bearOnly(count: number): void {
    this.keep(count);
    this.silenceSpares();
  }

  /** True when one of them had a stream, for which there is another use now. */
  silenceSpares(): boolean {
    const heard = this.all.filter((watch) => this.#spare.has(watch.chainId) && !watch.isSilent);
    for (const watch of heard) this.silence(watch);
    return heard.length > 0;
  }

  /** The node gives it no stream: it is spare as any other, but without work there is nothing to wait for. */
  silence(watch: ChainWatch): void {
    if (!watch.work) this.drop(watch);
    else {
      this.#spare.add(watch.chainId);
      watch.silence();
    }
  }

  drop(watch: ChainWatch | undefined): void {
    if (!watch) return;
    watch.close();
    this.#spare.delete(watch.chainId);
    this.#watches.delete(watch.chainId);
    this.#dropped(watch);
  }

  /** They are the caller's now. */
  clear(): void {
    this.#watches.clear();
    this.#spare.clear();
  }

  #keep(count: number, wanted: number | undefined): void {
    const over = (): number => this.wanted - count;
    while (over() > 0 && this.#dropOneWithoutWork());
    const others = [...this.#watches.keys()].filter((chainId) => chainId !== wanted);
    if (over() > 0) this.#spare.setAside(others, over());
    else this.#spare.takeBack(-over());
    for (const watch of this.all) if (!this.#spare.has(watch.chainId)) watch.listen();
  }

  #dropOneWithoutWork(): boolean {
    const dry = this.all.find(({ work }) => work === undefined);
    this.drop(dry);
    return dry !== undefined;
  }
}
