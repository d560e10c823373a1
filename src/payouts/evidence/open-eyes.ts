/** Opens the payer's eyes on several nodes. */
import type { CommandResult } from '../../chain/command-models.js';
import { isForDevelopment } from '../../core/work/development.js';
import type { CallPolicy } from '../../node-client/client.js';
import { agreed, balanceIn, guardIn } from './accounts.js';
import { ChainLook } from './chain-look.js';
import { KNOWN_CONTRACTS } from './contents.js';
import { Cuts } from './cuts.js';
import type { Agreed, Eyes, EyesOptions } from './eyes.js';
import type { Trouble } from './sight.js';
import { preflight, send } from './tell.js';

const TIMEOUT_MS = 10_000;
const MOST_BLOCKS = 20_000;

export function openEyes(options: EyesOptions): Eyes {
  const {
    nodes,
    account,
    networkId,
    depth,
    nowMs,
    timeoutMs = TIMEOUT_MS,
    mostBlocks: most = MOST_BLOCKS,
    isWorked = !isForDevelopment(networkId),
  } = options;
  const payer = { account, contracts: new Set([...KNOWN_CONTRACTS, ...(options.contracts ?? [])]) };
  const cuts = new Cuts(nodes, networkId, nowMs, timeoutMs);
  const chains = new Map<number, ChainLook>();
  const chainOf = (chainId: number): ChainLook => {
    const chain = chains.get(chainId) ?? new ChainLook({ chainId, payer, depth, nowMs, most, isWorked });
    chains.set(chainId, chain);
    return chain;
  };
  const policyOf = (signal?: AbortSignal): CallPolicy => ({ timeoutMs, ...(signal ? { signal } : {}) });
  const look: Eyes['look'] = async (chainId, fromHeight, signal, mostRead) => {
    signal?.throwIfAborted();
    const heads = await cuts.heads(chainId);
    signal?.throwIfAborted();
    return await chainOf(chainId).look(fromHeight, heads, policyOf(signal), mostRead);
  };
  const agreedOn = async <T>(
    chainId: number,
    code: string,
    read: (result: CommandResult['result']) => T,
    signal?: AbortSignal,
  ): Promise<Agreed<T>> => {
    if (!chainOf(chainId).atDepth) await look(chainId, Number.MAX_SAFE_INTEGER, signal);
    const at = chainOf(chainId).atDepth;
    const trouble: Trouble = { kind: 'unreachable', nodes: [], says: `nothing is seen of chain ${chainId}` };
    if (!at) return { kind: 'trouble', trouble };
    return await agreed({ chainId, networkId, at, code }, cuts.clients, read, policyOf(signal));
  };
  return {
    nodes: nodes.length,
    mostBlocks: most,
    look,
    balance: (chainId, signal) =>
      agreedOn(chainId, `(coin.get-balance ${JSON.stringify(account)})`, balanceIn, signal),
    guard: (chainId, name, signal) =>
      agreedOn(chainId, `(coin.details ${JSON.stringify(name)})`, guardIn, signal),
    preflight: (chainId, envelope, signal) => {
      const { agreeing } = chainOf(chainId);
      // What a node says that is far behind is of another time.
      const asked = cuts.clients.filter(({ node }) => agreeing.size === 0 || agreeing.has(node));
      return preflight(asked, chainId, envelope, policyOf(signal));
    },
    send: (chainId, envelope, signal) => send(cuts.clients, chainId, envelope, policyOf(signal)),
    clocks: () => cuts.clocks(),
  };
}
