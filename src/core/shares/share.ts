/** Submits, and what becomes of them: shares, solutions, rejections. */
import { bytesOfWords } from '../bytes/blake2s.js';
import type { Job } from '../jobs/job.js';
import { halvesOf, type NonceHalves, nonceOf } from '../jobs/nonce.js';
import { type Header, powHashWords, withNonce } from '../work/header.js';
import { type Difficulty, reachedByWords, type Target, wordsMeetTarget } from '../work/target.js';
import type { Rejection } from './rejections.js';

/** A submit that met its share target. */
export interface Share {
  readonly account: string;
  /** Empty when the login named no rig. */
  readonly rig: string;
  readonly jobId: string;
  readonly chainId: number;
  readonly height: number;
  /** Expected hashes of the share target as issued: what is credited. */
  readonly difficulty: Difficulty;
  /** Expected hashes of the block target it was made under: what the share's chance of a block was. */
  readonly blockDifficulty: Difficulty;
  /** Milliseconds since the epoch. */
  readonly acceptedAtMs: number;
}

/** A chance of one block, as shares are worth it. */
export const EXPECTED_UNIT = 10n ** 18n;

/**
 * Blocks that a share was expected to find, in units of {@link EXPECTED_UNIT}. Every solution counts as a share, so no share has
 * a worse chance of a block than one of the block's own difficulty.
 */
export function expectedBlocks({
  difficulty,
  blockDifficulty,
}: Pick<Share, 'difficulty' | 'blockDifficulty'>): bigint {
  return difficulty >= blockDifficulty ? EXPECTED_UNIT : (difficulty * EXPECTED_UNIT) / blockDifficulty;
}

/** A submit whose hash meets the block target: the header to post. */
export interface Solution {
  readonly job: Job;
  /** The job's header with the winning nonce. */
  readonly header: Header;
  readonly nonce: bigint;
  /** 32 bytes, lowest first. */
  readonly powHash: Uint8Array;
  readonly account: string;
  readonly rig: string;
  readonly foundAtMs: number;
}

/** Work that a submit shows to have been done, whether it counts or came too late. */
export interface Spent {
  readonly chainId: number;
  /** Expected hashes. */
  readonly difficulty: Difficulty;
}

export type Verdict =
  | {
      readonly accepted: true;
      readonly share: Share;
      readonly solution?: Solution;
      /** The difficulty that its hash would meet. */
      readonly reached: number;
    }
  | {
      readonly accepted: false;
      readonly reason: Rejection;
      readonly detail: string;
      readonly solution?: Solution;
      /** Of a share that came too late. */
      readonly spent?: Spent;
      /** What it would have been credited: the difficulty that its job was issued with. Absent where no job is known. */
      readonly claimed?: Difficulty;
    };

export type Acceptance = Extract<Verdict, { accepted: true }>;
export type Refusal = Extract<Verdict, { accepted: false }>;

export function spentOn(verdict: Verdict): Spent | undefined {
  return verdict.accepted ? verdict.share : verdict.spent;
}

/** What a submit hashes to: one compression on the job's midstate. */
export class HashedSubmit implements NonceHalves {
  readonly low: number;
  readonly high: number;
  readonly solves: boolean;
  readonly #job: Job;
  readonly #words: Uint32Array;

  constructor(job: Job, low: number, high: number) {
    this.#job = job;
    this.low = low;
    this.high = high;
    this.#words = powHashWords(job.midstate, job.tail, this);
    this.solves = wordsMeetTarget(this.#words, job.blockTarget);
  }

  meets(target: Target): boolean {
    return wordsMeetTarget(this.#words, target);
  }

  /** 32 bytes, lowest first. Made when asked for, as are the others: each takes as long as the hash. */
  get powHash(): Uint8Array {
    return bytesOfWords(this.#words);
  }

  /** The difficulty that it would meet. */
  get reached(): number {
    return reachedByWords(this.#words);
  }

  get nonce(): bigint {
    return nonceOf(this);
  }

  get header(): Header {
    return withNonce(this.#job.header, this.nonce);
  }
}

export function hashSubmit(job: Job, nonce: bigint): HashedSubmit {
  const { low, high } = halvesOf(nonce);
  return new HashedSubmit(job, low, high);
}

/** A hash that meets the block target is a share whatever the share target says. */
export function isShare(hashed: HashedSubmit, shareTarget: Target): boolean {
  return hashed.solves || hashed.meets(shareTarget);
}
