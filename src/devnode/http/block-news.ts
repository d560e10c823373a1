/** A block as event streams tell of it. For all streams together it is written down once. */
import { blockEvent, type HeaderNames, headerEvent } from '../../chain/encode.js';
import type { Block } from '../consensus/block.js';
import { proofOfWorkHash } from '../consensus/header-rules.js';
import type { Payload } from '../mining/payload.js';

export type EventWriter = (block: Block, payload: Payload) => string;

export interface BlockNews {
  readonly header: EventWriter;
  readonly whole: EventWriter;
}

/** @param event of whole blocks: dialects call it differently. */
export function blockNews(names: HeaderNames, event: string): BlockNews {
  return {
    header: once((block, payload) => headerEvent(block, payload, names, proofOfWorkHash(block.header))),
    whole: once((block, payload) => blockEvent(block, payload, names, proofOfWorkHash(block.header), event)),
  };
}

function once(write: EventWriter): EventWriter {
  const written = new WeakMap<Block, string>();
  return (block, payload) => {
    const text = written.get(block) ?? write(block, payload);
    written.set(block, text);
    return text;
  };
}
