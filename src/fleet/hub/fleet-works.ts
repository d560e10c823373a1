/** Works to every front: what nodes hand out crosses once for each, and a front that joins later has the newest of each chain. */
import type { FrontWorks, PlainWork } from '../../bridge/fleet/ports.js';
import type { WorkSink } from '../../bridge/ports.js';
import { bytesEqual } from '../../core/bytes/bytes.js';
import { encodeWork, type Work } from '../../core/work/work.js';
import { sharedMs } from '../channel/steady.js';

export interface FleetWorksParts {
  /** Whether a rig may begin on this chain. */
  handsOut(chainId: number): boolean;
  /** Rising. */
  readonly nowMs?: () => number;
}

interface Newest {
  readonly plain: PlainWork;
  readonly cameAtMs: number;
}

export class FleetWorks implements WorkSink {
  readonly #parts: FleetWorksParts;
  /** Chain -> the newest that was handed out and not retired. */
  readonly #newest = new Map<number, Newest>();
  readonly #fronts = new Map<number, FrontWorks>();
  #handsOut = '';

  constructor(parts: FleetWorksParts) {
    this.#parts = parts;
  }

  offerWork(work: Work, node: string, causedAtMs = performance.now()): void {
    const plain = { bytes: encodeWork(work), node };
    const atMs = sharedMs(causedAtMs);
    this.#newest.set(work.chainId, this.#noted(work.chainId, plain));
    this.#tellHandsOut();
    for (const front of this.#fronts.values()) front.offerWork(plain, atMs, 0);
  }

  retireWork(chainId: number, causedAtMs = performance.now()): void {
    const atMs = sharedMs(causedAtMs);
    this.#newest.delete(chainId);
    this.#tellHandsOut();
    for (const front of this.#fronts.values()) front.retireWork(chainId, atMs);
  }

  replaceWorks(works: readonly Work[], node: string, causedAtMs = performance.now()): void {
    const noted = works.map((work): [number, Newest] => {
      return [work.chainId, this.#noted(work.chainId, { bytes: encodeWork(work), node })];
    });
    const plain = noted.map(([, newest]) => newest.plain);
    const atMs = sharedMs(causedAtMs);
    this.#newest.clear();
    for (const [chainId, newest] of noted) this.#newest.set(chainId, newest);
    this.#tellHandsOut();
    for (const front of this.#fronts.values()) front.replaceWorks(plain, node, atMs);
  }

  /** What a front that has just begun is to know. */
  joined(index: number, front: FrontWorks): void {
    this.#fronts.set(index, front);
    front.handsOut(this.#open);
    const atMs = sharedMs(performance.now());
    for (const { plain, cameAtMs } of this.#newest.values())
      front.offerWork(plain, atMs, this.#nowMs() - cameAtMs);
  }

  left(index: number): void {
    this.#fronts.delete(index);
  }

  /** Called once a second: chains may be let in to without a work that says so. */
  tick(): void {
    this.#tellHandsOut();
  }

  get #open(): readonly number[] {
    return [...this.#newest.keys()].filter((chainId) => this.#parts.handsOut(chainId));
  }

  /** Of the same bytes the time at which they came first counts. */
  #noted(chainId: number, plain: PlainWork): Newest {
    const former = this.#newest.get(chainId);
    const isSame = former !== undefined && bytesEqual(former.plain.bytes, plain.bytes);
    return { plain, cameAtMs: isSame ? former.cameAtMs : this.#nowMs() };
  }

  #nowMs(): number {
    return this.#parts.nowMs?.() ?? performance.now();
  }

  #tellHandsOut(): void {
    const chainIds = this.#open;
    const text = chainIds.join();
    if (text === this.#handsOut) return;
    this.#handsOut = text;
    for (const front of this.#fronts.values()) front.handsOut(chainIds);
  }
}
