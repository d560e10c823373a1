/** Several nodes' views of one chain, grown and forked by a test; answers as the port's nodes would. */
import type { ChainReader, PayloadOutputs, SeenHeader } from '../../../src/bridge/ports.js';
import { blockHashOf } from '../../../src/core/bytes/block-hash.js';
import { toHex } from '../../../src/core/bytes/bytes.js';
import { decodeHeader, type Header } from '../../../src/core/work/header.js';
import { makeSolution } from '../rigs/solutions.js';

/** What a node is told to do instead of answering. */
export type Mood = 'well' | 'away' | 'unreachable';

export function seen(header: Uint8Array, weight: bigint): SeenHeader {
  const { chainId, height, parent, nonce, creationTime } = decodeHeader(header);
  return { chainId, height, hash: blockHashOf(header), parent, nonce, creationTime, weight };
}

export class ScriptedNode {
  readonly #headers = new Map<string, SeenHeader>();
  mood: Mood = 'well';
  coinbase: string | undefined;
  transactions: PayloadOutputs['transactions'] = [];
  coinbaseFails = false;
  /** Its answer was found to be forged. */
  forges = false;

  add(header: SeenHeader): void {
    this.#headers.set(toHex(header.hash), header);
  }

  list(chainId: number, min: number, max: number): SeenHeader[] {
    const all = Array.from(this.#headers.values());
    return all.filter((one) => one.chainId === chainId && one.height >= min && one.height <= max);
  }

  ancestor(hash: Uint8Array, height: number): Uint8Array | undefined {
    for (let at = this.#headers.get(toHex(hash)); at; at = this.#headers.get(toHex(at.parent))) {
      if (at.height === height) return at.hash;
    }
    return undefined;
  }
}

/** Blocks on top of `parent`, the first at `height`: real headers, so that their hashes are real. */
export function branch(parent: Uint8Array, height: number, count: number, nonce: bigint): SeenHeader[] {
  const blocks: SeenHeader[] = [];
  let below = parent;
  for (let i = 0; i < count; i++) {
    const header = Uint8Array.from(makeSolution({}, { height: height + i }, nonce).header) as Header;
    header.set(below, 16);
    const block = seen(header, BigInt(height + i));
    blocks.push(block);
    below = block.hash;
  }
  return blocks;
}

export function chainOf(nodes: ReadonlyMap<string, ScriptedNode>): ChainReader {
  const at = (name: string): ScriptedNode => {
    const node = nodes.get(name);
    if (node?.mood !== 'well') throw new Error(`${name} does not answer`);
    return node;
  };
  return {
    nodes: Array.from(nodes.keys()).filter((name) => nodes.get(name)?.mood !== 'unreachable'),
    count: nodes.size,
    isForDevelopment: false,
    listHeaders: async (node, chainId, { min, max }, limit) =>
      at(node).list(chainId, min, max).slice(0, limit),
    ancestorsAt: async (node, _chainId, height, upper) => {
      const found = at(node).ancestor(upper, height);
      return found ? [found] : [];
    },
    payloadOutputs: async (node) => {
      if (at(node).coinbaseFails) throw new Error(`${node} does not tell`);
      if (at(node).forges) throw Object.assign(new Error(`${node} gave a wrong answer`), { code: 'forged' });
      const { coinbase, transactions } = at(node);
      return coinbase === undefined ? undefined : { coinbase, transactions };
    },
  };
}
