/**
 * The nonces of one job that were submitted, in the order in which they came: a hash table with open addressing over two arrays
 * of numbers. In a `Set` of bigints each takes three times the room, and the collector moves all of them.
 */
import type { NonceHalves } from './nonce.js';

const FIRST_SLOTS = 16;
/** A slot that was left: a search goes on past it. */
const LEFT = -1;

export class NonceSet {
  /** Low and high half of each, one after the other. */
  #halves = new Uint32Array(0);
  /** 0 where nothing is, else one more than the place of a nonce among the halves. */
  #slots = new Int32Array(0);
  #places = 0;
  /** The place of the oldest, or one before it. */
  #oldest = 0;
  #size = 0;

  /** Of what {@link bytes} gave; any other bytes make some set or other. */
  static of(bytes: Uint8Array): NonceSet {
    const set = new NonceSet();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + 8 <= bytes.length; at += 8)
      set.add({ low: view.getUint32(at, true), high: view.getUint32(at + 4, true) });
    return set;
  }

  get size(): number {
    return this.#size;
  }

  /** Eight bytes each, little-endian, oldest first. */
  get bytes(): Uint8Array {
    const bytes = new Uint8Array(8 * this.#size);
    const view = new DataView(bytes.buffer);
    let at = 0;
    for (let place = this.#oldest; place < this.#places; place++) {
      const [low = 0, high = 0] = [this.#halves[2 * place], this.#halves[2 * place + 1]];
      if (this.#at(this.#find(low, high)) !== place + 1) continue;
      view.setUint32(at, low, true);
      view.setUint32(at + 4, high, true);
      at += 8;
    }
    return bytes;
  }

  /** False when it is there already. */
  add({ low, high }: NonceHalves): boolean {
    if (2 * this.#places >= this.#slots.length) this.#makeRoom();
    const slot = this.#find(low, high);
    if (this.#at(slot) > 0) return false;
    this.#enter(slot, low, high);
    this.#size++;
    return true;
  }

  has({ low, high }: NonceHalves): boolean {
    return this.#size > 0 && this.#at(this.#find(low, high)) > 0;
  }

  delete({ low, high }: NonceHalves): void {
    if (this.#size > 0) this.#remove(this.#find(low, high));
  }

  deleteOldest(): void {
    for (const before = this.#size; this.#size === before && this.#oldest < this.#places; this.#oldest++) {
      const slot = this.#find(this.#halves[2 * this.#oldest] ?? 0, this.#halves[2 * this.#oldest + 1] ?? 0);
      // One that was taken out may have come again since, at a later place.
      if (this.#at(slot) === this.#oldest + 1) this.#remove(slot);
    }
  }

  /** Where this nonce is; where it is not, the empty slot at the end of the search. */
  #find(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(low, high) & mask;
    for (;;) {
      const place = this.#at(slot) - 1;
      if (place === -1) return slot;
      if (place >= 0 && this.#halves[2 * place] === low && this.#halves[2 * place + 1] === high) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #at(slot: number): number {
    return this.#slots[slot] ?? 0;
  }

  #enter(slot: number, low: number, high: number): void {
    this.#halves[2 * this.#places] = low;
    this.#halves[2 * this.#places + 1] = high;
    this.#places++;
    this.#slots[slot] = this.#places;
  }

  #remove(slot: number): void {
    if (this.#at(slot) <= 0) return;
    this.#slots[slot] = LEFT;
    this.#size--;
  }

  /** Twice as many slots, or as many where most places are of nonces that were taken out. */
  #makeRoom(): void {
    const [halves, slots, oldest, places] = [this.#halves, this.#slots, this.#oldest, this.#places];
    // Told by the old slots at once, and not by a search for each: submits wait meanwhile.
    const isKept = new Uint8Array(places + 1);
    for (const place of slots) if (place > 0) isKept[place] = 1;
    const length = Math.max(FIRST_SLOTS, 4 * this.#size > slots.length ? 2 * slots.length : slots.length);
    this.#halves = new Uint32Array(length);
    this.#slots = new Int32Array(length);
    this.#places = 0;
    this.#oldest = 0;
    for (let place = oldest; place < places; place++) {
      if (isKept[place + 1] === 0) continue;
      const [low = 0, high = 0] = [halves[2 * place], halves[2 * place + 1]];
      this.#enter(this.#find(low, high), low, high);
    }
  }
}

/** Rigs count up in one half, and what they count differs in few bits. */
function hashOf(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
