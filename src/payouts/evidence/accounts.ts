/** What an account has and who may move it, at the depth, as all nodes say that answer. */

import { type CommandResult, decimalIn } from '../../chain/command-models.js';
import { requestKeyOf } from '../../chain/request-key.js';
import { fieldsOf } from '../../core/bytes/outputs.js';
import { type Amount, parseAmount } from '../../core/money/amount.js';
import { storable } from '../../core/names/names.js';
import type { CallPolicy, NodeClient } from '../../node-client/client.js';
import type { Agreed, Envelope, Guard } from './eyes.js';
import type { BlockPlace, Trouble } from './sight.js';
import { saidBy } from './tell.js';

interface Asked {
  readonly chainId: number;
  readonly networkId: string;
  /** The state behind it is asked for. */
  readonly at: BlockPlace;
  readonly code: string;
}

type Told<T> =
  | { readonly node: string; readonly value: T; readonly text: string }
  | { readonly node: string; readonly fault: string };

/** A head may move between two questions. */
const TRIES = 3;
const SHOWN = 200;
const LONGEST_WORD = 200;
/** What nodes say of an account that is not there. */
const MISSING = 'No value found';

/** What all say alike. @param read what the output means; throws RangeError where it means nothing. */
export async function agreed<T>(
  asked: Asked,
  clients: readonly { readonly node: string; readonly client: NodeClient }[],
  read: (result: CommandResult['result']) => T,
  policy: CallPolicy,
): Promise<Agreed<T>> {
  const answers = await Promise.all(
    clients.map(async ({ node, client }): Promise<Told<T>> => {
      try {
        const value = read(await askAt(asked, client, policy));
        return { node, value, text: JSON.stringify([value], asText) };
      } catch (error) {
        return { node, fault: error instanceof RangeError ? error.message : saidBy(error).words };
      }
    }),
  );
  const { code, at, chainId } = asked;
  const told = answers.filter((answer) => 'text' in answer);
  const nodes = told.map(({ node }) => node);
  const [first] = told;
  if (!first) {
    const faults = answers.map((answer) => `${answer.node}: ${'fault' in answer ? answer.fault : ''}`);
    const says = `no node tells of ${code}: ${faults.join('; ') || 'there is none'}`;
    return inTrouble('unreachable', [], says);
  }
  if (told.every(({ text }) => text === first.text)) return { kind: 'agreed', value: first.value, at, nodes };
  const said = told.map(({ node, text }) => `${node} says ${text}`).join(', ');
  return inTrouble('disagree', nodes, `of ${code} at block ${at.height} of chain ${chainId} ${said}`);
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function inTrouble(kind: Trouble['kind'], nodes: readonly string[], says: string): Agreed<never> {
  return { kind: 'trouble', trouble: { kind, nodes, says } };
}

/** Asks for the state behind one block, however far the node has gone on since. */
async function askAt(asked: Asked, client: NodeClient, policy: CallPolicy): Promise<CommandResult['result']> {
  const { chainId, at } = asked;
  const headOf = async (): Promise<BlockPlace | undefined> =>
    (await client.maintenance.cut(undefined, policy)).hashes[chainId];
  for (let tries = 1; tries <= TRIES; tries++) {
    const head = await headOf();
    if (!head || head.height < at.height) throw new RangeError(`it is behind block ${at.height}`);
    const options = { signatureVerification: false, rewindDepth: head.height - at.height };
    const { result, metaData } = await client.chain(chainId).pact.local(readCommand(asked), options, policy);
    // A failure tells no block: then the head must not have moved meanwhile.
    const isThere = metaData ? metaData.prevBlockHash === at.hash : (await headOf())?.hash === head.hash;
    if (isThere) return result;
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

export function balanceIn(result: CommandResult['result']): Amount {
  const text = result.status === 'success' ? decimalIn(result.data) : undefined;
  const amount = text === undefined ? undefined : parseAmount(text);
  if (amount !== undefined) return amount;
  if (isMissing(result)) return 0n;
  throw new RangeError(`it says ${JSON.stringify(result).slice(0, SHOWN)}`);
}

export function guardIn(result: CommandResult['result']): Guard | 'other' | undefined {
  if (isMissing(result)) return undefined;
  const data = result.status === 'success' ? fieldsOf(result.data) : undefined;
  const guard = fieldsOf(data?.['guard']);
  if (!guard) throw new RangeError(`it says ${JSON.stringify(result).slice(0, SHOWN)}`);
  const { pred, keys } = guard;
  const isKeyset = isWord(pred) && Array.isArray(keys) && keys.every(isWord);
  return isKeyset ? { pred, keys: (keys as string[]).toSorted() } : 'other';
}

/** As keys and predicates are. */
function isWord(value: unknown): value is string {
  return typeof value === 'string' && storable(value, LONGEST_WORD) === value;
}

function isMissing(result: CommandResult['result']): boolean {
  return result.status === 'failure' && result.error.message?.includes(MISSING) === true;
}
