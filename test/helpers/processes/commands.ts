/** Commands as a client makes and signs them, and the four ways to ask a node about them. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { toBase64Url } from '../../../src/core/bytes/bytes.js';
import type { InitialBalance } from '../../../src/devnode/coin/accounts.js';
import { type Answer, ask } from '../../devnode/helpers.js';
import type { KeyPair } from './key-pair.js';

export function funds(pair: KeyPair, amount: string, chainId?: number): InitialBalance {
  return { account: pair.account, guard: pair.keyset, amount, ...(chainId === undefined ? {} : { chainId }) };
}

export interface Envelope {
  readonly cmd: string;
  readonly hash: string;
  readonly sigs: readonly { readonly sig: string }[];
}

export type Clist = readonly { readonly name: string; readonly args: readonly unknown[] }[];

export interface CommandParts {
  readonly code: string;
  readonly data?: object;
  /** Who signs for what; without a list for everything. */
  readonly signers?: readonly (readonly [KeyPair, Clist?])[];
  readonly sender?: string;
  readonly chainId?: number;
  readonly meta?: object;
  readonly nonce?: string;
  readonly networkId?: string;
}

export function command(parts: CommandParts): Envelope {
  const { code, data = {}, signers = [], sender = signers[0]?.[0].account ?? '', chainId = 0 } = parts;
  const cmd = JSON.stringify({
    networkId: parts.networkId ?? 'development',
    payload: { exec: { code, data } },
    signers: signers.map(([{ key }, clist]) => ({
      pubKey: key,
      scheme: 'ED25519',
      ...(clist ? { clist } : {}),
    })),
    meta: {
      ...{ chainId: String(chainId), sender, gasLimit: 2500, gasPrice: 1e-8, ttl: 900 },
      ...{ creationTime: Math.floor(Date.now() / 1000), ...parts.meta },
    },
    nonce: parts.nonce ?? 'test',
  });
  const hash = blake2b(new TextEncoder().encode(cmd), { dkLen: 32 });
  const sigs = signers.map(([{ secret }]) => ({
    sig: Buffer.from(ed25519.sign(hash, secret)).toString('hex'),
  }));
  return { cmd, hash: toBase64Url(hash), sigs };
}

export const GAS = { name: 'coin.GAS', args: [] };

export function transferCap(sender: string, receiver: string, amount: string): Clist[number] {
  return { name: 'coin.TRANSFER', args: [sender, receiver, { decimal: amount }] };
}

/** From one key to an account, which is made where it is not there. */
export function transfer(
  from: KeyPair,
  to: KeyPair,
  amount: string,
  more: Partial<CommandParts> = {},
): Envelope {
  return command({
    code: `(coin.transfer-create "${from.account}" "${to.account}" (read-keyset "account-guard") ${amount})`,
    data: { 'account-guard': to.keyset },
    signers: [[from, [transferCap(from.account, to.account, amount), GAS]]],
    ...more,
  });
}

/** One command result, as far as tests look at it. */
export interface CommandResult {
  readonly gas: number;
  readonly result: {
    readonly status: string;
    readonly data?: unknown;
    readonly error?: { readonly type: string; readonly message: string };
  };
  readonly reqKey: string;
  readonly events?: readonly { readonly name: string; readonly params: readonly unknown[] }[];
  readonly metaData: Record<string, unknown> | null;
  readonly txId: number | null;
}

export interface PactApi {
  send(...cmds: readonly Envelope[]): Promise<Answer>;
  poll(keys: readonly string[], query?: string): Promise<Record<string, CommandResult>>;
  listen(key: string): Promise<Answer>;
  local(cmd: Envelope, query?: string): Promise<Answer>;
  /** Coins of an account, as text; `undefined` where it is not there. */
  balance(account: string): Promise<string | undefined>;
}

export function pactApi(node: { readonly url: string }, chainId = 0): PactApi {
  const post = (path: string, json: unknown): Promise<Answer> =>
    ask(`${node.url}/chain/${chainId}/pact/api/v1/${path}`, { method: 'POST', json });
  const local = (cmd: Envelope, query = ''): Promise<Answer> => post(`local${query}`, cmd);
  return {
    local,
    send: (...cmds) => post('send', { cmds }),
    poll: async (requestKeys, query = '') => (await post(`poll${query}`, { requestKeys })).json(),
    listen: (key) => post('listen', { listen: key }),
    async balance(account) {
      const read = command({ code: `(coin.get-balance ${JSON.stringify(account)})`, chainId });
      const { text } = await local(read, '?signatureVerification=false');
      return /"data":(?:\{"decimal":")?([\d.e-]+)/.exec(text)?.[1];
    },
  };
}
