/** Shares as the judge would hand them over. */
import type { EntryId, ShareEntry, ShareLog } from '../../../src/bridge/ports.js';
import type { Rejection } from '../../../src/core/shares/rejections.js';
import { expectedBlocks, type Share } from '../../../src/core/shares/share.js';
import { slotOf } from '../../../src/core/work/slot.js';
import { ShareSums } from '../../../src/queue/shipping/sums.js';

export function makeShare(fields: Partial<Share> = {}): Share {
  return {
    account: 'k:a',
    rig: 'r1',
    jobId: '1f',
    chainId: 3,
    height: 7,
    difficulty: 1000n,
    blockDifficulty: 1_000_000n,
    acceptedAtMs: 1_700_000_000_000,
    ...fields,
  };
}

/** Submits of one rig that were no shares, as tests name them. */
export interface RejectionCount {
  readonly account: string;
  readonly rig: string;
  readonly reason: Rejection;
  readonly sinceMs: number;
  readonly submits: number;
  readonly work: bigint;
}

/** Shares and refused submits as the entry that brings them. */
export function entryOf({
  id,
  shares,
  rejections = [],
}: {
  readonly id: EntryId;
  readonly shares: readonly Share[];
  readonly rejections?: readonly RejectionCount[];
}): ShareEntry {
  const accepted = new ShareSums();
  for (const share of shares)
    accepted.add(share, {
      ...share,
      name: 0,
      expected: expectedBlocks(share),
      best: Number(share.difficulty),
    });
  const refused = rejections.map(({ account, rig, reason, sinceMs, submits, work }) => {
    return { account, rig, slot: slotOf(sinceMs), kind: reason, submits, work, expected: 0n, best: 0 };
  });
  const watermarkMs = shares.reduce((last, { acceptedAtMs }) => Math.max(last, acceptedAtMs), 0);
  const total = totalOf(id, shares);
  // Of a log that brings nothing else: no settlement waits for it.
  return { id, watermarkMs, ends: true, total, sums: [...accepted.sums, ...refused], solutions: [] };
}

/** Resolves when the log says that the share is kept, and rejects when it is not. */
export function append(log: ShareLog, share: Share, reached = 1): Promise<void> {
  return new Promise((kept, lost) => log.append(share, reached, { kept, lost }));
}

/** A log that keeps shares by this function. */
export function logBy(keep: (share: Share) => Promise<void>): ShareLog {
  return {
    append: (share, _reached, waiter) => {
      keep(share).then(
        () => waiter.kept(),
        (error: Error) => waiter.lost(error),
      );
    },
  };
}

/** Log -> number of an entry -> what it brings. */
const made = new Map<string, Map<number, ShareEntry['total']>>();

/** What the log has accepted up to this entry, as far as its entries were made here. */
function totalOf({ log, number }: EntryId, shares: readonly Share[]): ShareEntry['total'] {
  const all = made.get(log) ?? new Map<number, ShareEntry['total']>();
  made.set(log, all);
  const work = shares.reduce((sum, { difficulty }) => sum + difficulty, 0n);
  all.set(number, { shares: shares.length, work });
  const before = [...all].filter(([other]) => other <= number).map(([, one]) => one);
  return {
    shares: before.reduce((sum, one) => sum + one.shares, 0),
    work: before.reduce((sum, one) => sum + one.work, 0n),
  };
}
