/** A block as event streams tell of it. For all streams together it is written down once. */
import { blockEvent, type HeaderNames, headerEvent } from '../../chain/encode.js';
import type { Block } from '../consensus/block.js';
import { proofOfWorkHash } from '../consensus/header-rules.js';
import type { Payload } from '../mining/payload.js';

export class BlockNews {
  readonly #names: HeaderNames;
  readonly #event: string;
  readonly #headers = new WeakMap<Block, string>();
  readonly #blocks = new WeakMap<Block, string>();

  /** @param event of whole blocks: dialects call it differently. */
  constructor(names: HeaderNames, event: string) {
    this.#names = names;
    this.#event = event;
  }

  header(block: Block, payload: Payload): string {
    return once(this.#headers, block, () =>
      headerEvent(block, payload, this.#names, proofOfWorkHash(block.header)),
    );
  }

  whole(block: Block, payload: Payload): string {
    return once(this.#blocks, block, () =>
      blockEvent(block, payload, this.#names, proofOfWorkHash(block.header), this.#event),
    );
  }
}

function once(written: WeakMap<Block, string>, block: Block, write: () => string): string {
  const text = written.get(block) ?? write();
  written.set(block, text);
  return text;
}
