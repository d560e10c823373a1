/** What truly happened in a history: shares that bridges acknowledged, solutions, and what of them is in the ledger, where the model counts it. */

import type { SolutionState } from '../../../src/bridge/ports.js';
import { blockHashOf } from '../../../src/core/bytes/block-hash.js';
import { bytesEqual, toBase64Url } from '../../../src/core/bytes/bytes.js';
import { expectedBlocks, type Share, type Solution } from '../../../src/core/shares/share.js';
import type { RewardRules } from '../../../src/ledger/rules/rule-table.js';
import type { EncodedEntry } from '../../../src/queue/shipping/entry.js';
import type { Chain, Income } from './chain.js';
import { type Happened, SLOT_MS } from './model.js';
import type { Waiting } from './waiting.js';

interface TrueShare {
  readonly share: Share;
  readonly atMs: number;
  /** In which it counts; absent: it is not in the ledger. */
  slot?: number;
}

export interface TrueBlock extends Income {
  readonly log: string;
  readonly solution: Solution;
  readonly hash: string;
  readonly height: number;
  readonly difficulty: bigint;
  /** Found, and what its node said: each stands in this entry of this log. */
  readonly words: { readonly log: string; readonly entry: number; readonly isTaken: boolean }[];
  /** When the ledger heard of it. */
  heardAtMs?: number;
  /** A node may have it, by what the ledger has heard. */
  isTaken: boolean;
  slot?: number;
}

export class Truth {
  readonly waiting: Waiting;
  readonly #chain: Chain;
  readonly #shares = new Map<string, TrueShare[]>();
  /** Log -> number of an entry -> shares of the log up to and with it. */
  readonly #cuts = new Map<string, Map<number, number>>();
  readonly #booked = new Map<string, Set<number>>();
  readonly blocks: TrueBlock[] = [];

  constructor(waiting: Waiting, chain: Chain) {
    this.waiting = waiting;
    this.#chain = chain;
  }

  /** The rig has heard `true`. */
  accepted(log: string, share: Share, atMs: number): void {
    listOf(this.#shares, log).push({ share, atMs });
  }

  found(log: string, solution: Solution, block: Income & Pick<TrueBlock, 'height' | 'difficulty'>): void {
    const hash = toBase64Url(blockHashOf(solution.header));
    const words = [{ log, entry: this.#nextEntry(log), isTaken: false }];
    this.blocks.push({ ...block, log, solution, hash, words, isTaken: false });
  }

  /** @param log of who wrote it down, which may be another than it was found in. */
  answered(log: string, powHash: Uint8Array, state: SolutionState): void {
    const block = this.blocks.find(({ solution }) => bytesEqual(solution.powHash, powHash));
    block?.words.push({ log, entry: this.#nextEntry(log), isTaken: state !== 'refused' });
  }

  /** A bridge has made it. */
  made(entry: EncodedEntry): void {
    const [log, number] = entry.id;
    const cuts = this.#cuts.get(log) ?? new Map<number, number>();
    this.#cuts.set(log, cuts.set(number, entry.total[0]));
  }

  /** The ledger has it, for the first time. */
  booked([log, number]: EncodedEntry['id'], nowMs: number): void {
    const booked = this.#booked.get(log) ?? new Set<number>();
    this.#booked.set(log, booked.add(number));
    const cuts = this.#cuts.get(log);
    for (const share of listOf(this.#shares, log).slice(cuts?.get(number - 1) ?? 0, cuts?.get(number)))
      share.slot = this.waiting.slotOf(log, share.atMs, nowMs);
    this.waiting.heard(log, nowMs, false);
    for (const block of this.blocks)
      for (const { isTaken } of block.words.filter((word) => word.log === log && word.entry === number)) {
        block.heardAtMs ??= nowMs;
        block.isTaken ||= isTaken;
      }
    this.place(nowMs);
  }

  /** Blocks whose log is booked up to them get their round. */
  place(nowMs: number): void {
    for (const block of this.blocks) {
      const { heardAtMs, isTaken, solution, log, words } = block;
      if (block.slot !== undefined || heardAtMs === undefined) continue;
      const isOurs = isTaken || this.isOnChain(block);
      if (
        isOurs &&
        (this.waiting.isEnded(log) || this.#isWholeTo(log, words[0]?.entry ?? Number.POSITIVE_INFINITY))
      )
        block.slot = this.waiting.slotOfBlock(Math.min(solution.foundAtMs, heardAtMs), nowMs);
    }
  }

  isOnChain({ height, hash }: TrueBlock): boolean {
    return this.#chain.at(height) === hash;
  }

  stateOf(block: TrueBlock): 'pending' | 'confirmed' | 'orphaned' {
    if (block.height >= this.#chain.next) return 'pending';
    return this.isOnChain(block) ? 'confirmed' : 'orphaned';
  }

  /** What was acknowledged in these logs and is not in the ledger: how many shares and solutions. */
  missingOf(logs: readonly string[]): number {
    const shares = logs.flatMap((log) => listOf(this.#shares, log)).filter(({ slot }) => slot === undefined);
    const blocks = this.blocks.filter(({ log, heardAtMs }) => logs.includes(log) && heardAtMs === undefined);
    return shares.length + blocks.length;
  }

  /** What happened that does not happen where all is well. */
  get counts(): Record<'lateShares' | 'lateBlocks' | 'orphans' | 'gone', number> {
    const shares = [...this.#shares.values()].flat();
    const isLate = (slot: number | undefined, atMs: number): boolean =>
      slot !== undefined && slot > Math.floor(atMs / SLOT_MS);
    return {
      lateShares: shares.filter(({ slot, atMs }) => isLate(slot, atMs)).length,
      lateBlocks: this.blocks.filter(({ slot, solution }) => isLate(slot, solution.foundAtMs)).length,
      orphans: this.blocks.filter((block) => block.slot !== undefined && !this.isOnChain(block)).length,
      gone: shares.filter(({ slot }) => slot === undefined).length,
    };
  }

  /** What counts, by the model. */
  happened(rules: RewardRules): Happened {
    const shares = [...this.#shares.values()].flat().flatMap(({ share, slot }) => {
      const { account, difficulty: work } = share;
      return slot === undefined ? [] : { slot, account, work, expected: expectedBlocks(share) };
    });
    const blocks = this.blocks.flatMap((block) => {
      const { hash, slot, difficulty, reward, fees, solution } = block;
      const { account } = solution;
      if (slot === undefined) return [];
      return { hash, slot, account, difficulty, reward, fees, isOnChain: this.isOnChain(block) };
    });
    return { rules, shares, blocks };
  }

  #isWholeTo(log: string, entry: number): boolean {
    const booked = this.#booked.get(log);
    for (let number = 1; number <= entry; number++) if (!booked?.has(number)) return false;
    return true;
  }

  /** What is written down now is in the next cut: the last one was made before. */
  #nextEntry(log: string): number {
    return 1 + Math.max(0, ...(this.#cuts.get(log)?.keys() ?? []));
  }
}

function listOf<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
