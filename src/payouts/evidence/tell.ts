/** What nodes are told of commands, and what they say to it. None of it is evidence. */
import type { CommandResult } from '../../chain/command-models.js';
import { storable } from '../../core/names/names.js';
import { type CallPolicy, type NodeClient, NodeError } from '../../node-client/client.js';
import type { Envelope, Preflight, SendAnswer } from './eyes.js';

type Clients = readonly { readonly node: string; readonly client: NodeClient }[];

const SHOWN = 300;

/** Every node is sent it alone: one bad command would refuse its neighbours. */
export async function send(
  clients: Clients,
  chainId: number,
  envelope: Envelope,
  policy: CallPolicy,
): Promise<SendAnswer[]> {
  return await Promise.all(
    clients.map(async ({ node, client }): Promise<SendAnswer> => {
      try {
        await client.chain(chainId).pact.send([envelope], policy);
        return { node, kind: 'accepted' };
      } catch (error) {
        const { status, words } = saidBy(error);
        return { node, kind: status === undefined ? 'no answer' : 'refused', words };
      }
    }),
  );
}

interface Tried {
  readonly node: string;
  readonly gas?: bigint;
  readonly why?: string;
  /** It did not answer. */
  readonly silent?: string;
}

/** Before anybody has signed. A failure counts only where no node says otherwise. */
export async function preflight(
  clients: Clients,
  chainId: number,
  envelope: Envelope,
  policy: CallPolicy,
): Promise<Preflight> {
  const { hash } = envelope;
  const options = { preflight: true, signatureVerification: false };
  const all = await Promise.all(
    clients.map(async ({ node, client }): Promise<Tried> => {
      try {
        return { node, ...tried(await client.chain(chainId).pact.local(envelope, options, policy)) };
      } catch (error) {
        const { status, words } = saidBy(error);
        // So answer the checks before the contract is run.
        return status === 400 ? { node, why: words } : { node, silent: words };
      }
    }),
  );
  const good = all.filter(({ gas }) => gas !== undefined);
  const bad = all.filter(({ why }) => why !== undefined);
  const nodes = [...good, ...bad].map(({ node }) => node);
  const [success, failure] = [good[0], bad[0]];
  if (success && failure) {
    const says = `${success.node} takes ${hash}, and ${failure.node} says: ${failure.why}`;
    return { kind: 'trouble', trouble: { kind: 'disagree', nodes, says } };
  }
  if (success?.gas !== undefined) return { kind: 'success', gas: success.gas };
  if (failure?.why !== undefined) return { kind: 'failure', why: failure.why };
  const said = all.map(({ node, silent }) => `${node}: ${silent}`).join('; ');
  const says = `no node tries ${hash} (${said || 'there is none'})`;
  return { kind: 'trouble', trouble: { kind: 'unreachable', nodes: [], says } };
}

function tried({ gas, result }: CommandResult): Omit<Tried, 'node'> {
  if (result.status === 'success') return { gas: BigInt(gas) };
  return { why: storable(result.error.message ?? 'the contract gave no reason', SHOWN) };
}

interface Said {
  /** Of an answer, whatever it is. */
  readonly status: number | undefined;
  readonly words: string;
}

/** That the caller ended it is thrown on, and what nobody expects. */
export function saidBy(error: unknown): Said {
  if (!(error instanceof NodeError) || error.code === 'aborted') throw error;
  const { status, text = '' } = error.details;
  const words = status === undefined ? error.message : `${status}: ${text}`;
  return { status, words: storable(words, SHOWN) };
}
