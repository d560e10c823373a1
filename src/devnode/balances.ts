/** What the coinbases of the cut's branches have credited: all the contract state there is on this node. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Block } from './block.js';
import type { Miner } from './payload.js';
import { BLOCK_REWARD } from './payload.js';
import type { BlockStore } from './store.js';

const DECIMALS = 6;
const REWARD_UNITS = BigInt(BLOCK_REWARD.replace('.', ''));
/** Read at a time; requests are answered in between. */
const BLOCKS_A_TURN = 500;

type Balances = Record<string, string>;

/** For each chain, account -> credited amount as a decimal text. @param isGenesis whether nobody was paid for a block. */
export async function accountBalances(
  store: BlockStore,
  isGenesis: (block: Block) => boolean,
): Promise<Record<string, Balances>> {
  const balances: Record<string, Balances> = {};
  for (const [chainId, head] of store.cut() ?? []) {
    const height = store.block(head)?.height ?? 0;
    balances[String(chainId)] = await balancesOn(store, chainId, height, isGenesis);
  }
  return balances;
}

async function balancesOn(
  store: BlockStore,
  chainId: number,
  headHeight: number,
  isGenesis: (block: Block) => boolean,
): Promise<Balances> {
  const units = new Map<string, bigint>();
  for (let height = 0; height <= headHeight; height++) {
    if (height % BLOCKS_A_TURN === 0) await nextTurn();
    const hash = store.onBranch(chainId, height);
    const block = hash && store.block(hash);
    const payload = block && !isGenesis(block) ? store.payload(chainId, block.payloadHash) : undefined;
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
