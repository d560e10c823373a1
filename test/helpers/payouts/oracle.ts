/**
 * What happened on chain by the development node's own blocks: TRANSFER events of their outputs, read from the node itself and not through a
 * tap. Nothing of `src/payouts` or of the ledger is asked.
 */
import { type Amount, parseAmount } from '../../../src/core/money/amount.js';
import type { DevNode } from '../../../src/devnode/dev-node.js';
import { ask } from '../../devnode/helpers.js';

export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly amount: Amount;
}

interface Header {
  readonly height: number;
  readonly parent: string;
  readonly payloadHash: string;
}

interface Payload {
  readonly transactions: readonly [string, string][];
}

interface Output {
  readonly events?: readonly { readonly name: string; readonly params: readonly unknown[] }[];
}

/** By commands, on all chains of the cut as it is now. */
export async function movedOn(node: DevNode): Promise<Moved[]> {
  const { hashes } = node.cut();
  const chains = Object.entries(hashes).map(([id, head]) => movedOnChain(`${node.url}/chain/${id}`, head));
  return (await Promise.all(chains)).flat();
}

async function movedOnChain(chain: string, head: string): Promise<Moved[]> {
  const moved: Moved[] = [];
  for (let upper: string | undefined = head; upper !== undefined; ) {
    const answer = await ask(`${chain}/header/branch?limit=100`, {
      method: 'POST',
      headers: { accept: 'application/json;blockheader-encoding=object' },
      json: { upper: [upper] },
    });
    const { items } = answer.json<{ items: Header[] }>();
    const json = items.map(({ payloadHash }) => payloadHash);
    const payloads = await ask(`${chain}/payload/outputs/batch`, { method: 'POST', json });
    for (const { transactions } of payloads.json<Payload[]>())
      for (const [, output] of transactions) moved.push(...eventsOf(decoded(output)));
    const last = items.at(-1);
    upper = last && last.height > 0 ? last.parent : undefined;
  }
  return moved;
}

function decoded(text: string): Output {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Output;
}

function eventsOf({ events = [] }: Output): Moved[] {
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
  if (amount === undefined) throw new Error(`an event moves ${JSON.stringify(param)}, which is not exact`);
  return amount;
}
