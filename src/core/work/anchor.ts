/** A block that others stand on: what must be known of it to judge the next one. */

export interface WorkedBlock {
  readonly height: number;
  readonly timeMicros: bigint;
  /** When its epoch began. */
  readonly epochStartMicros: bigint;
  /** Hashes that a block with its target takes, on average. */
  readonly work: bigint;
}

export interface Anchor extends WorkedBlock {
  /** Base64Url, as nodes write it. */
  readonly hash: string;
  /** Of all blocks up to this one. */
  readonly weight: bigint;
}
