/** What an account has and who may move it, at the depth, as all nodes say that answer. */

import { requestKeyOf } from '../../chain/request-key.js';
import type { Amount } from '../../core/amount.js';
import { amountIn, type Fields, fieldsOf, readExactly } from '../../core/outputs.js';
import type { CallPolicy, NodeClient } from '../../node-client/client.js';
import type { Agreed, Envelope, Guard } from './eyes.js';
import { type AskPact, noAnswer } from './pact.js';
import type { BlockPlace, Trouble } from './sight.js';

export interface Asked {
  readonly chainId: number;
  readonly networkId: string;
  /** The state behind it is asked for. */
  readonly at: BlockPlace;
  readonly code: string;
}

/** A head may move between two questions. */
const TRIES = 3;
/** What nodes say of an account that is not there. */
const MISSING = 'No value found';

/** What all say alike. @param read what the output means; throws RangeError where it means nothing. */
export async function agreed<T>(
  asked: Asked,
  clients: readonly { readonly node: string; readonly client: NodeClient }[],
  ask: AskPact,
  read: (output: Fields) => T,
  policy: CallPolicy,
): Promise<Agreed<T>> {
  const faults: string[] = [];
  const told: { readonly node: string; readonly value: T; readonly text: string }[] = [];
  await Promise.all(
    clients.map(async ({ node, client }) => {
      try {
        const value = read(await askAt(asked, client, ask, policy));
        told.push({ node, value, text: JSON.stringify([value], asText) });
      } catch (error) {
        faults.push(`${node}: ${error instanceof RangeError ? error.message : noAnswer(error)}`);
      }
    }),
  );
  const [first] = told;
  const nodes = told.map(({ node }) => node);
  if (!first)
    return inTrouble(
      'unreachable',
      [],
      `no node tells of ${asked.code}: ${faults.join('; ') || 'there is none'}`,
    );
  if (told.some(({ text }) => text !== first.text)) {
    const said = told.map(({ node, text }) => `${node} says ${text}`).join(', ');
    return inTrouble(
      'disagree',
      nodes,
      `of ${asked.code} at block ${asked.at.height} of chain ${asked.chainId} ${said}`,
    );
  }
  return { kind: 'agreed', value: first.value, at: asked.at, nodes };
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function inTrouble(kind: Trouble['kind'], nodes: readonly string[], says: string): Agreed<never> {
  return { kind: 'trouble', trouble: { kind, nodes, says } };
}

/** Asks for the state behind one block, however far the node has gone on since. */
async function askAt(asked: Asked, client: NodeClient, ask: AskPact, policy: CallPolicy): Promise<Fields> {
  const { chainId, at } = asked;
  const headOf = async (): Promise<BlockPlace | undefined> =>
    (await client.maintenance.cut(undefined, policy)).hashes[chainId];
  for (let tries = 1; tries <= TRIES; tries++) {
    const head = await headOf();
    if (!head || head.height < at.height) throw new RangeError(`it is behind block ${at.height}`);
    const path = `local?signatureVerification=false&preflight=false&rewindDepth=${head.height - at.height}`;
    const { status, text } = await ask(client, chainId, path, readCommand(asked), policy);
    const output = status === 200 ? readExactly(text) : undefined;
    if (!output) throw new RangeError(`it answered ${status} with ${JSON.stringify(text.slice(0, 200))}`);
    const metaData = fieldsOf(output['metaData']);
    // A failure tells no block: then the head must not have moved meanwhile.
    const isThere = metaData ? metaData['prevBlockHash'] === at.hash : (await headOf())?.hash === head.hash;
    if (isThere) return output;
  }
  throw new RangeError(`it does not answer for block ${at.height} (${at.hash})`);
}

/** Signed by nobody, paid by nobody: a question. */
function readCommand({ networkId, chainId, code }: Asked): Envelope {
  const cmd = JSON.stringify({
    networkId,
    payload: { exec: { code, data: {} } },
    signers: [],
    meta: {
      chainId: String(chainId),
      sender: '',
      gasLimit: 10_000,
      gasPrice: 1e-8,
      ttl: 900,
      creationTime: 0,
    },
    nonce: 'read',
  });
  return { cmd, hash: requestKeyOf(cmd), sigs: [] };
}

export function balanceIn(output: Fields): Amount {
  const result = fieldsOf(output['result']);
  const amount = result?.['status'] === 'success' ? amountIn(result['data']) : undefined;
  if (amount !== undefined) return amount;
  if (isMissing(result)) return 0n;
  throw new RangeError(`it says ${JSON.stringify(result).slice(0, 200)}`);
}

export function guardIn(output: Fields): Guard | 'other' | undefined {
  const result = fieldsOf(output['result']);
  if (isMissing(result)) return undefined;
  const guard = fieldsOf(fieldsOf(result?.['data'])?.['guard']);
  if (!guard) throw new RangeError(`it says ${JSON.stringify(result).slice(0, 200)}`);
  const { pred, keys } = guard;
  const isKeyset =
    typeof pred === 'string' && Array.isArray(keys) && keys.every((key) => typeof key === 'string');
  return isKeyset ? { pred, keys: (keys as string[]).toSorted() } : 'other';
}

function isMissing(result: Fields | undefined): boolean {
  const message = fieldsOf(result?.['error'])?.['message'];
  return result?.['status'] === 'failure' && typeof message === 'string' && message.includes(MISSING);
}
