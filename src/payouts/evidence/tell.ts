/** What nodes are told of commands, and what they say to it. None of it is evidence. */
import { amountIn, type Fields, fieldsOf, readExactly } from '../../core/outputs.js';
import type { CallPolicy, NodeClient } from '../../node-client/client.js';
import type { Envelope, Hint, Preflight, SendAnswer } from './eyes.js';
import { type AskPact, noAnswer } from './pact.js';

type Clients = readonly { readonly node: string; readonly client: NodeClient }[];

const SHOWN = 300;
/** Request keys of one question. */
const MOST_KEYS = 500;
const UNIT = 10n ** 12n;

/** Every node is sent it alone: one bad command would refuse its neighbours. */
export async function send(
  ask: AskPact,
  clients: Clients,
  chainId: number,
  { hash, cmd, sigs }: Envelope,
  policy: CallPolicy,
): Promise<SendAnswer[]> {
  return await Promise.all(
    clients.map(async ({ node, client }): Promise<SendAnswer> => {
      try {
        const { status, text } = await ask(client, chainId, 'send', { cmds: [{ cmd, hash, sigs }] }, policy);
        const keys = status === 200 ? readExactly(text)?.['requestKeys'] : undefined;
        if (Array.isArray(keys) && keys[0] === hash) return { node, kind: 'accepted' };
        return { node, kind: 'refused', words: `${status}: ${text.slice(0, SHOWN)}` };
      } catch (error) {
        return { node, kind: 'no answer', words: noAnswer(error) };
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
  ask: AskPact,
  clients: Clients,
  chainId: number,
  { hash, cmd, sigs }: Envelope,
  policy: CallPolicy,
): Promise<Preflight> {
  const path = 'local?preflight=true&signatureVerification=false';
  const all = await Promise.all(
    clients.map(async ({ node, client }): Promise<Tried> => {
      try {
        return { node, ...tried(await ask(client, chainId, path, { cmd, hash, sigs }, policy)) };
      } catch (error) {
        return { node, silent: noAnswer(error) };
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

function tried({ status, text }: { status: number; text: string }): Omit<Tried, 'node'> {
  // Checks before the contract is run answer so.
  if (status === 400) return { why: text.slice(0, SHOWN) };
  const told = status === 200 ? fieldsOf(readExactly(text)) : undefined;
  // Code that cannot be read comes bare.
  const output = fieldsOf(told?.['preflightResult']) ?? told;
  const result = fieldsOf(output?.['result']);
  const gas = amountIn(output?.['gas']);
  if (result?.['status'] === 'success' && gas !== undefined) return { gas: gas / UNIT };
  if (result?.['status'] === 'failure') return { why: messageOf(result) };
  return { silent: `it answered ${status} with ${JSON.stringify(text.slice(0, SHOWN))}` };
}

function messageOf(result: Fields): string {
  return String(fieldsOf(result['error'])?.['message'] ?? 'the contract gave no reason').slice(0, SHOWN);
}

/** Where nodes say that commands are; those of which they say nothing, or that they are bad, are left out. */
export async function hints(
  ask: AskPact,
  clients: Clients,
  chainId: number,
  requestKeys: readonly string[],
  policy: CallPolicy,
): Promise<Hint[]> {
  const found = await Promise.all(
    clients.map(async ({ node, client }) => {
      const places: Hint[] = [];
      for (let at = 0; at < requestKeys.length; at += MOST_KEYS) {
        const some = requestKeys.slice(at, at + MOST_KEYS);
        const answer = await ask(client, chainId, 'poll', { requestKeys: some }, policy).catch(noAnswer);
        if (typeof answer === 'string' || answer.status !== 200) continue;
        const told = readExactly(answer.text);
        places.push(...some.flatMap((key) => placeIn(node, key, told)));
      }
      return places;
    }),
  );
  return found.flat();
}

function placeIn(node: string, requestKey: string, told: Fields | undefined): Hint[] {
  const metaData = fieldsOf(fieldsOf(told?.[requestKey])?.['metaData']);
  const [hash, height] = [metaData?.['blockHash'], Number(metaData?.['blockHeight'])];
  if (typeof hash !== 'string' || !Number.isSafeInteger(height)) return [];
  return [{ node, requestKey, place: { height, hash } }];
}
