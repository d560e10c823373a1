/** What the coinbases of the cut's branches have credited: all the contract state there is on this node. */
import type { Chains } from './chains.js';
import type { Miner } from './payload.js';
import { BLOCK_REWARD } from './payload.js';

const DECIMALS = 6;
const REWARD_UNITS = BigInt(BLOCK_REWARD.replace('.', ''));

/** For each chain, account -> credited amount as a decimal text. */
export function accountBalances(chains: Chains): Record<string, Record<string, string>> {
  return Object.fromEntries(
    [...chains.cut.heads.keys()].map((chainId) => [String(chainId), balancesOn(chains, chainId)]),
  );
}

function balancesOn(chains: Chains, chainId: number): Record<string, string> {
  const units = new Map<string, bigint>();
  const head = chains.head(chainId);
  for (const block of chains.store.ascending(chainId, { height: 0 })) {
    if (head === undefined || block.height > head.height) break;
    if (chains.isGenesis(block) || chains.store.onBranch(chainId, block.height) !== block.hash) continue;
    const payload = chains.store.payload(chainId, block.payloadHash);
    if (payload === undefined) continue;
    const { account } = JSON.parse(Buffer.from(payload.minerData, 'base64url').toString('utf8')) as Miner;
    units.set(account, (units.get(account) ?? 0n) + REWARD_UNITS);
  }
  return Object.fromEntries([...units].map(([account, sum]) => [account, decimal(sum)]));
}

function decimal(units: bigint): string {
  const digits = units.toString().padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}
