/**
 * The 8-byte nonce and who searches which part of it.
 *
 * nonce = nonce2 followed by nonce1, big endian: the bridge's part is the low-order one although the dialect calls it
 * the first. The header bytes 278..285 are that integer, little-endian.
 *
 *     nonce1 = 0123 (2 bytes), nonce2 = 456789abcdef (6 bytes) -> 0x456789abcdef0123 -> 2301efcdab896745
 */

/** The bridge's part: an unsigned 16-bit integer, leased to one session or CPU thread at a time. */
export type Nonce1 = number & { readonly __brand: 'Nonce1' };
/** The rig's part: an unsigned 48-bit integer (exact in a double). */
export type Nonce2 = number & { readonly __brand: 'Nonce2' };

export const NONCE1_BYTES = 2;
export const NONCE2_BYTES = 6;
const NONCE1_COUNT = 2 ** (8 * NONCE1_BYTES);
const NONCE2_COUNT = 2 ** (8 * NONCE2_BYTES);

/** Always padded: a rig may derive the size from the text. */
export function nonce1ToHex(nonce1: Nonce1): string {
  return nonce1.toString(16).padStart(2 * NONCE1_BYTES, '0');
}

export function nonce1FromHex(text: string): Nonce1 | undefined {
  return /^[0-9a-fA-F]{4}$/.test(text) ? (Number.parseInt(text, 16) as Nonce1) : undefined;
}

export function nonce2ToHex(nonce2: Nonce2): string {
  return nonce2.toString(16).padStart(2 * NONCE2_BYTES, '0');
}

/**
 * 1 to 12 hex digits of either case; rigs leave out leading zeros. Equal numbers give equal results, so no spelling
 * gets past the search for duplicates.
 */
export function nonce2FromHex(text: string): Nonce2 | undefined {
  return /^[0-9a-fA-F]{1,12}$/.test(text) ? (Number.parseInt(text, 16) as Nonce2) : undefined;
}

/** Its two bytes in the other order. */
export function reversedNonce1(nonce1: Nonce1): Nonce1 {
  return (((nonce1 & 0xff) << 8) | (nonce1 >> 8)) as Nonce1;
}

/** Its six bytes in the other order. */
export function reversedNonce2(nonce2: Nonce2): Nonce2 {
  return Buffer.from(nonce2ToHex(nonce2), 'hex').readUIntLE(0, NONCE2_BYTES) as Nonce2;
}

export function nonce2FromNumber(value: number): Nonce2 {
  if (!Number.isInteger(value) || value < 0 || value >= NONCE2_COUNT) {
    throw new RangeError(`nonce2 is an integer of ${NONCE2_BYTES} bytes, not ${value}`);
  }
  return value as Nonce2;
}

/** The whole nonce, unsigned 64 bits. */
export function composeNonce(nonce1: Nonce1, nonce2: Nonce2): bigint {
  return (BigInt(nonce2) << BigInt(8 * NONCE1_BYTES)) | BigInt(nonce1);
}

/** A nonce as two unsigned 32-bit numbers: making a bigint of each submit takes as long as hashing it. */
export interface NonceHalves {
  readonly low: number;
  readonly high: number;
}

export function halvesOf(nonce: bigint): NonceHalves {
  return { low: Number(BigInt.asUintN(32, nonce)), high: Number(BigInt.asUintN(32, nonce >> 32n)) };
}

export function nonceOf({ low, high }: NonceHalves): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

/** The halves of {@link composeNonce}. */
export function composeLow(nonce1: Nonce1, nonce2: Nonce2): number {
  return (nonce2 % NONCE1_COUNT) * NONCE1_COUNT + nonce1;
}

export function composeHigh(nonce2: Nonce2): number {
  return Math.floor(nonce2 / NONCE1_COUNT);
}

/**
 * Leases nonce1 values. A released value rests until `quarantineMs` have passed, because submits of its former owner
 * may still arrive and be judged against jobs that live as long.
 */
export class NonceSpace {
  readonly #leased = new Set<Nonce1>();
  /** Value -> when it may be leased again; oldest first, since quarantine is the same for all. */
  readonly #resting = new Map<Nonce1, number>();
  readonly #quarantineMs: number;
  #next = 0;

  constructor(quarantineMs: number) {
    this.#quarantineMs = quarantineMs;
  }

  get quarantineMs(): number {
    return this.#quarantineMs;
  }

  get leased(): number {
    return this.#leased.size;
  }

  /** No value is leased or rests. */
  isIdle(nowMs: number): boolean {
    this.#wake(nowMs);
    return this.#leased.size + this.#resting.size === 0;
  }

  isLeased(nonce1: Nonce1): boolean {
    return this.#leased.has(nonce1);
  }

  /** A value that nobody holds, or `undefined` when all are leased or resting. `wanted` is given if it is free or rests. */
  lease(nowMs: number, wanted?: Nonce1): Nonce1 | undefined {
    this.#wake(nowMs);
    const nonce1 = wanted !== undefined && !this.#leased.has(wanted) ? wanted : this.#firstFree();
    if (nonce1 === undefined) return undefined;
    this.#resting.delete(nonce1);
    this.#leased.add(nonce1);
    return nonce1;
  }

  /** Ends a lease. Throws when there is none: an owner that releases twice would free another's value. */
  release(nonce1: Nonce1, nowMs: number): void {
    if (!this.#leased.delete(nonce1)) throw new Error(`nonce1 ${nonce1ToHex(nonce1)} is not leased`);
    this.#resting.set(nonce1, nowMs + this.#quarantineMs);
  }

  /** A value that an earlier start had leased rests too; those that wake first come first. */
  rest(nonce1: Nonce1, untilMs: number): void {
    if (!this.#leased.has(nonce1)) this.#resting.set(nonce1, untilMs);
  }

  #wake(nowMs: number): void {
    for (const [nonce1, wakesAt] of this.#resting) {
      if (wakesAt > nowMs) return;
      this.#resting.delete(nonce1);
    }
  }

  #firstFree(): Nonce1 | undefined {
    if (this.#leased.size + this.#resting.size >= NONCE1_COUNT) return undefined;
    for (;;) {
      const candidate = this.#next as Nonce1;
      this.#next = (this.#next + 1) % NONCE1_COUNT;
      if (!this.#leased.has(candidate) && !this.#resting.has(candidate)) return candidate;
    }
  }
}
