/** Coins that are there from the first block on. */
import { describe, expect, it } from 'vitest';
import type { InitialBalance } from '../../../src/devnode/coin/accounts.js';
import { genesisOf } from '../../../src/devnode/consensus/genesis.js';
import { networkFrom } from '../../../src/devnode/consensus/networks.js';
import { startEasyNode } from '../helpers.js';

const KEY = '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c';
const ALICE: InitialBalance = {
  account: `k:${KEY}`,
  guard: { pred: 'keys-all', keys: [KEY] },
  amount: '1000.5',
};

const genesisHash = (balances: readonly InitialBalance[], chainId = 0): string =>
  genesisOf(networkFrom('development', { graph: 'petersen', initialBalances: balances }), chainId).block.hash;

describe('initial balances', () => {
  it('are part of what a network agrees on: other coins, another genesis block', () => {
    const hashes = [[], [ALICE], [{ ...ALICE, amount: '1000' }]].map((balances) => genesisHash(balances));
    expect(new Set(hashes).size).toBe(3);
    expect(genesisHash([ALICE])).toBe(genesisHash([{ ...ALICE, amount: '1000.50' }]));
  });

  it('on one chain leave the others as they are', () => {
    const onOne = [{ ...ALICE, chainId: 3 }];
    expect(genesisHash(onOne, 3)).not.toBe(genesisHash([], 3));
    expect(genesisHash(onOne, 4)).toBe(genesisHash([], 4));
  });

  it.each([
    [{ ...ALICE, amount: '-1' }, 'no amount'],
    [{ ...ALICE, amount: '0.0000000000001' }, 'no amount'],
    [{ ...ALICE, chainId: 10 }, 'no chain 10'],
    [{ ...ALICE, account: 'ab' }, 'min length'],
    [{ ...ALICE, account: 'k:somebody' }, 'Single-key account protocol violation'],
  ])('%j is refused with a sentence', async (balance, named) => {
    await expect(startEasyNode({ initialBalances: [balance] })).rejects.toThrow(named);
  });

  it('cannot be given twice, nor on a network whose genesis blocks are given', async () => {
    await expect(startEasyNode({ initialBalances: [ALICE, ALICE] })).rejects.toThrow('named twice');
    const onMainnet = startEasyNode({ network: 'mainnet01', initialBalances: [ALICE] });
    await expect(onMainnet).rejects.toThrow('initialBalances needs a graph');
  });
});
