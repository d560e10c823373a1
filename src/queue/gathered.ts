import type { Share } from '../core/share.js';

/** Shares of one entry to be. All of them wait for the same promise: one each would cost more than judging them. */
export interface Gathered {
  readonly shares: Share[];
  readonly kept: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

export function newGathered(): Gathered {
  let settle: Pick<Gathered, 'resolve' | 'reject'> | undefined;
  const kept = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (!settle) throw new Error('a promise did not begin');
  kept.catch(() => {}); // rejections alone have nobody who waits
  return { shares: [], kept, ...settle };
}
