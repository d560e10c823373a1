/**
 * What fronts have beside their processes, from before the start of each until after its end: a folder, and a number among all that
 * search nonces.
 *
 *     <dataDir>/fronts/2/
 */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { MAX_NUMBERERS } from '../../core/jobs/job.js';
import type { Ledger } from '../../ledger/ledger.js';
import { type Instance, startInstance } from '../books/instance.js';
import { formerRigsIn } from '../rigs/former-rigs.js';
import type { Site } from '../site.js';
import { frontDir, isFree } from './former-fronts.js';

export interface Place {
  readonly dataDir: string;
  readonly instance: Instance;
}

export interface PlacesParts {
  readonly ledger: Ledger;
  /** The number of this front is another. */
  numbered(index: number, instance: number): void;
}

export class Places {
  readonly #site: Site;
  readonly #parts: PlacesParts;
  /** By index of the front, from 1 on. */
  readonly #places = new Map<number, Place>();

  constructor(site: Site, parts: PlacesParts) {
    this.#site = site;
    this.#parts = parts;
  }

  has(index: number): boolean {
    return this.#places.has(index);
  }

  /** Rejects with RangeError for one that nobody has taken. */
  async at(index: number): Promise<Place> {
    return this.#places.get(index) ?? Promise.reject(new RangeError(`there is no place for front ${index}`));
  }

  /**
   * So many that nobody has; at a start first those that rigs come back to, then the lowest. Rejects where there are too few, or one
   * cannot be had; none is taken then.
   */
  async take(count: number): Promise<readonly number[]> {
    const free: number[] = [];
    for (const index of this.#inTurn()) {
      if (free.length === count) break;
      if (!this.#places.has(index) && (await this.#isFree(index))) free.push(index);
    }
    if (free.length < count)
      throw new Error('too many processes of before still have rigs: try again once they have gone');
    try {
      for (const index of free) this.#places.set(index, await this.#open(index));
    } catch (error) {
      for (const index of free) await this.free(index);
      throw error;
    }
    return free;
  }

  /** That of a front of the hub before, which has it still. */
  async adopt(index: number): Promise<void> {
    this.#places.set(index, await this.#open(index));
  }

  /** Its front goes on, and with the number: who takes it over has both. */
  letGo(index: number): void {
    this.#places.get(index)?.instance.letGo();
    this.#places.delete(index);
  }

  async free(index: number): Promise<void> {
    const place = this.#places.get(index);
    this.#places.delete(index);
    await place?.instance.close();
  }

  /** Its front is no more, and the others know what it knew of its rigs. */
  async leave(index: number): Promise<void> {
    await rm(formerRigsIn(this.#dirOf(index)), { force: true });
    await this.free(index);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#places.keys()].map((index) => this.free(index)));
  }

  #inTurn(): readonly number[] {
    const all = Array.from({ length: MAX_NUMBERERS - 1 }, (_, i) => i + 1);
    if (this.#places.size > 0) return all;
    const hasRigs = (index: number): boolean => existsSync(formerRigsIn(this.#dirOf(index)));
    return [...all.filter(hasRigs), ...all.filter((index) => !hasRigs(index))];
  }

  #dirOf(index: number): string {
    return frontDir(this.#site.config.dataDir, index);
  }

  /** What somebody left there may still be on its way to the books. */
  async #isFree(index: number): Promise<boolean> {
    const dataDir = this.#dirOf(index);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return isFree(dataDir);
  }

  async #open(index: number): Promise<Place> {
    const { log } = this.#site;
    const dataDir = this.#dirOf(index);
    const { ledger, numbered } = this.#parts;
    const instance = await startInstance({ wanted: 'auto', dataDir, ledger, log });
    instance.onNumber((number) => numbered(index, number));
    return { dataDir, instance };
  }
}
