/** How much a share log holds, and what is said where it takes no more. */

export interface ShareLogLimits {
  /** All segments together, also those of earlier starts; beyond, shares are refused. */
  readonly totalBytes: number;
  /** A segment is full then; of many rigs it is larger, lest it hold little but their names. It goes when the ledger has all of it. */
  readonly segmentBytes: number;
  /** Of one group; beyond, shares are refused until the disk has taken it. */
  readonly groupBytes: number;
  /** A disk gives so much at a time, before it is needed. */
  readonly stepBytes: number;
}

/** Names, of which there are two copies, may be such a part of a segment. */
const NAMES = 1 / 4;
/** Of the log: the segment that is written to is not booked before it is full, and what is booked is to make room. */
const LARGEST = 1 / 8;

/** @param nameBytes of one copy of the names in it. */
export function fullSegmentBytes({ segmentBytes, totalBytes }: ShareLogLimits, nameBytes: number): number {
  return Math.max(segmentBytes, Math.min(LARGEST * totalBytes, (2 * nameBytes) / NAMES));
}

export const SHARE_LOG_LIMITS: ShareLogLimits = {
  totalBytes: 512 * 2 ** 20,
  segmentBytes: 4 * 2 ** 20,
  groupBytes: 4 * 2 ** 20,
  stepBytes: 256 * 2 ** 10,
};

/** The share was not taken: it may be submitted again. */
export class ShareLogError extends Error {
  override readonly name = 'ShareLogError';
  readonly code: 'busy' | 'closed' | 'log-full' | 'log-broken';

  constructor(code: ShareLogError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
