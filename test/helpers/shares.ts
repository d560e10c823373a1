/** Shares as the judge would hand them over. */
import type { Share } from '../../src/core/share.js';

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
