/**
 * Moments that a node can be put back to: cut, blocks, mempool and clock. Nothing is copied but what waits in the
 * mempool: blocks that came later are noted, and forgotten when the node goes back. They last as long as the process.
 */
import type { ClockState, OrderedClock } from '../clock.js';
import type { BlockHash } from '../consensus/block.js';
import type { Chains } from '../consensus/chains.js';
import { hashesOf } from '../consensus/cut.js';
import type { Mempool } from '../mining/mempool.js';
import { OrderError } from './order-error.js';

export interface SnapshotInfo {
  readonly id: string;
  /** Sum of the heights of all chains. */
  readonly height: number;
  /** Transactions that waited. */
  readonly waiting: number;
}

interface Snapshot extends SnapshotInfo {
  readonly heads: ReadonlyMap<number, BlockHash>;
  readonly texts: ReadonlyMap<number, readonly string[]>;
  readonly characters: number;
  readonly clock: ClockState;
  /** How many of the noted blocks were there. */
  readonly noted: number;
}

const MOST_SNAPSHOTS = 100;
/** Of the transactions in all of them. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
const ID = /^[\w.-]{1,64}$/;

export class Snapshots {
  readonly #chains: Chains;
  readonly #mempool: Mempool;
  readonly #clock: OrderedClock;
  /** Oldest first. */
  readonly #taken = new Map<string, Snapshot>();
  /** Blocks since the oldest snapshot, in the order in which they came. */
  readonly #later: BlockHash[] = [];

  constructor(chains: Chains, mempool: Mempool, clock: OrderedClock) {
    this.#chains = chains;
    this.#mempool = mempool;
    this.#clock = clock;
    chains.events.on('block', ({ hash }) => {
      if (this.#taken.size > 0) this.#later.push(hash);
    });
  }

  /** One of the same name is replaced. Throws {@link OrderError}. */
  take(id: string): SnapshotInfo {
    if (!ID.test(id)) {
      const sentence = `a snapshot is named by 1 to 64 letters, digits and . _ -, not by ${JSON.stringify(id.slice(0, 80))}`;
      throw new OrderError('bad-order', sentence);
    }
    const texts = this.#mempool.texts();
    const all = [...texts.values()].flat();
    const snapshot: Snapshot = {
      id,
      height: this.#chains.cut.height,
      waiting: all.length,
      heads: hashesOf(this.#chains.cut.heads),
      texts,
      characters: all.reduce((sum, text) => sum + text.length, 0),
      clock: this.#clock.state,
      noted: this.#later.length,
    };
    this.#refuseTooMany(snapshot);
    this.#taken.delete(id);
    this.#taken.set(id, snapshot);
    return infoOf(snapshot);
  }

  #refuseTooMany({ id, characters }: Snapshot): void {
    const others = [...this.#taken.values()].filter((one) => one.id !== id);
    const held = others.reduce((sum, one) => sum + one.characters, characters);
    if (others.length < MOST_SNAPSHOTS && held <= MOST_CHARACTERS) return;
    const sentence = `there is room for ${MOST_SNAPSHOTS} snapshots with ${MOST_CHARACTERS} characters of transactions: delete old ones`;
    throw new OrderError('too-many-snapshots', sentence);
  }

  /** Goes back to it. Later ones are gone; it stays, to go back to it again. Throws {@link OrderError}. */
  revert(id: string): SnapshotInfo {
    const snapshot = this.#named(id);
    this.#chains.revert(snapshot.heads, this.#later.slice(snapshot.noted));
    this.#later.length = snapshot.noted;
    this.#mempool.replaceWith(snapshot.texts);
    this.#clock.state = snapshot.clock;
    const ids = [...this.#taken.keys()];
    for (const later of ids.slice(ids.indexOf(id) + 1)) this.#taken.delete(later);
    return infoOf(snapshot);
  }

  /** Oldest first. */
  list(): SnapshotInfo[] {
    return [...this.#taken.values()].map(infoOf);
  }

  delete(id: string): void {
    this.#named(id);
    this.#taken.delete(id);
    if (this.#taken.size === 0) this.#later.length = 0;
  }

  #named(id: string): Snapshot {
    const snapshot = this.#taken.get(id);
    if (snapshot) return snapshot;
    throw new OrderError('unknown-snapshot', `there is no snapshot ${JSON.stringify(id.slice(0, 80))}`);
  }
}

function infoOf({ id, height, waiting }: Snapshot): SnapshotInfo {
  return { id, height, waiting };
}
