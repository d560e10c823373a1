/**
 * What happened on chain by the development node's own blocks: TRANSFER events of their outputs, read from the node itself and not
 * through a liar. Nothing of `src/payouts` is asked.
 */
import { type Amount, parseAmount } from '../../../src/core/money/amount.js';
import { ask } from '../../devnode/helpers.js';
import type { Payload } from './liar.js';

export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly amount: Amount;
  /** Of the command; `undefined`: a coinbase. */
  readonly requestKey: string | undefined;
}

export interface ReadBlock {
  readonly height: number;
  readonly hash: string;
  readonly parent: string;
  readonly moved: readonly Moved[];
}

interface Header {
  readonly height: number;
  readonly hash: string;
  readonly parent: string;
  readonly payloadHash: string;
}

interface Output {
  readonly reqKey: string;
  readonly events?: readonly { readonly name: string; readonly params: readonly unknown[] }[];
}

/** Blocks never change: each is read once. */
export class Oracle {
  readonly #blocks = new Map<string, ReadBlock>();

  /** The chain of a node now, ascending, without the first block. @param url of the node, with the path. */
  async chain(url: string, chainId: number): Promise<readonly ReadBlock[]> {
    const cut = (await ask(`${url}/cut`)).json<{ hashes: Record<string, { hash: string }> }>();
    const head = cut.hashes[chainId]?.hash ?? '';
    const blocks: ReadBlock[] = [];
    for (let hash = head; ; ) {
      if (!this.#blocks.has(hash)) await this.#read(`${url}/chain/${chainId}`, hash);
      const block = this.#blocks.get(hash);
      if (!block) throw new Error(`the node does not show block ${hash} of its own chain ${chainId}`);
      if (block.height === 0) return blocks.reverse();
      blocks.push(block);
      hash = block.parent;
    }
  }

  /** A page of blocks down from this one. */
  async #read(chain: string, upper: string): Promise<void> {
    const headers = await ask(`${chain}/header/branch?limit=50`, {
      method: 'POST',
      headers: { accept: 'application/json;blockheader-encoding=object' },
      json: { upper: [upper] },
    });
    const { items } = headers.json<{ items: Header[] }>();
    const fresh = items.filter(({ hash }) => !this.#blocks.has(hash));
    const json = fresh.map(({ payloadHash }) => payloadHash);
    const payloads = (await ask(`${chain}/payload/outputs/batch`, { method: 'POST', json })).json<
      Payload[]
    >();
    const byHash = new Map(payloads.map((payload) => [payload.payloadHash, payload]));
    for (const { height, hash, parent, payloadHash } of fresh) {
      const payload = byHash.get(payloadHash);
      if (payload) this.#blocks.set(hash, { height, hash, parent, moved: movedIn(payload) });
    }
  }
}

function movedIn({ transactions, coinbase }: Payload): Moved[] {
  const outputs = transactions.map(([, output]) => decoded(output));
  return [
    ...eventsOf(decoded(coinbase)).map((moved) => ({ ...moved, requestKey: undefined })),
    ...outputs.flatMap((output) =>
      eventsOf(output).map((moved) => ({ ...moved, requestKey: output.reqKey })),
    ),
  ];
}

function decoded(text: string): Output {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Output;
}

function eventsOf({ events = [] }: Output): Omit<Moved, 'requestKey'>[] {
  return events
    .filter(({ name }) => name === 'TRANSFER')
    .map(({ params: [from, to, amount] }) => ({ from: String(from), to: String(to), amount: exact(amount) }));
}

/** A number of JSON is exact to 10^-12 as long as it is small; above, nodes write decimals as text. */
function exact(param: unknown): Amount {
  const text =
    typeof param === 'number' && (Number.isSafeInteger(param) || Math.abs(param) < 1_000)
      ? param.toFixed(12)
      : (param as { readonly decimal?: string }).decimal;
  const amount = text === undefined ? undefined : parseAmount(text);
  if (amount === undefined)
    throw new Error(`an event moves ${JSON.stringify(param)}, which cannot be read exactly`);
  return amount;
}
