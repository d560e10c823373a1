/** Two chains, as a payer sees them: blocks with a time and the commands in them, which a reorganisation may take back. */

export const CHAINS = [0, 1] as const;
export type ChainId = (typeof CHAINS)[number];
/** Below the head a block is believed. */
export const DEPTH = 2;
/** How long a command may be included after it was built, at the most; in units of chain time, as all times here. */
export const VALIDITY = 6;

export interface Command {
  readonly key: string;
  readonly line: string;
  /** Which one of its line; nothing in the model depends on it. */
  readonly attempt?: number;
  readonly account: number;
  readonly amount: number;
  readonly chain: ChainId;
  /** A block whose parent is of this time or later does not take it. */
  readonly until: number;
}

export interface Included {
  readonly key: string;
  /** It moved what it says. */
  readonly succeeded: boolean;
}

export interface Block {
  readonly id: number;
  readonly height: number;
  readonly time: number;
  readonly commands: readonly Included[];
  /** No node has its payload any more. */
  readonly isBlind: boolean;
}

/** Of what could be in a block, what its miner takes. */
export type Takes = 'nothing' | 'oldest' | 'newest' | 'all';

export class Chain {
  readonly #id: ChainId;
  /** What was sent, wherever it ended up. */
  readonly #pool: ReadonlyMap<string, Command>;
  readonly #nextId: () => number;
  readonly blocks: Block[] = [];

  constructor(id: ChainId, pool: ReadonlyMap<string, Command>, nextId: () => number) {
    this.#id = id;
    this.#pool = pool;
    this.#nextId = nextId;
    for (let i = 0; i < 4; i++) this.mine(i === 0 ? 10 : 1, 'nothing');
  }

  get head(): Block {
    return this.blocks.at(-1) ?? failed('a chain has a first block');
  }

  /** The newest block that is believed. */
  get believed(): Block {
    return this.blocks[Math.max(0, this.head.height - DEPTH)] ?? failed('a chain has a first block');
  }

  has({ height, id }: Pick<Block, 'height' | 'id'>): boolean {
    return this.blocks[height]?.id === id;
  }

  mine(seconds: number, takes: Takes, succeeded = true, isBlind = false): void {
    const parent = this.blocks.at(-1);
    const could = [...this.#pool.values()].filter(
      ({ chain, key, until }) =>
        chain === this.#id &&
        (parent?.time ?? 0) < until &&
        !this.blocks.some(({ commands }) => commands.some((one) => one.key === key)),
    );
    const taken = { nothing: [], oldest: could.slice(0, 1), newest: could.slice(-1), all: could }[takes];
    this.blocks.push({
      ...{ id: this.#nextId(), height: this.blocks.length, time: (parent?.time ?? 0) + seconds, isBlind },
      commands: taken.map(({ key }) => ({ key, succeeded })),
    });
  }

  /** Blocks above are replaced by as many and one more, of which the last takes commands. */
  reorganise(depth: number, seconds: number, takes: Takes): void {
    this.blocks.length -= depth;
    for (let i = 0; i <= depth; i++) this.mine(seconds, i === depth ? takes : 'nothing');
  }

  /** What was paid on it up to a height, by key. */
  paid(height: number): string[] {
    return this.blocks
      .slice(0, height + 1)
      .flatMap(({ commands }) => commands.filter(({ succeeded }) => succeeded).map(({ key }) => key));
  }
}

export function failed(words: string): never {
  throw new Error(words);
}
