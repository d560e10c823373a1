/** Accounts with coins from the first block on: by flag, from code, and over snapshots. */
import { describe, expect, it } from 'vitest';
import { type FundedAccount, fundedAccounts } from '../../src/devnode/coin/funded-accounts.js';
import { type DevNodeOptions, startDevNode } from '../../src/devnode/dev-node.js';
import { temporaryFolder } from '../helpers/folder.js';
import { pactApi, transfer } from '../helpers/processes/commands.js';
import { type KeyPair, keyPair } from '../helpers/processes/key-pair.js';
import { until } from '../helpers/until.js';
import { EASY } from './helpers.js';
import { startEasyProcess } from './process.js';

const BOB = keyPair(2);

function keysOf(account: string, publicKey: string, secretKey = ''): KeyPair {
  const secret = Uint8Array.from(Buffer.from(secretKey, 'hex'));
  return { secret, key: publicKey, account, keyset: { pred: 'keys-all', keys: [publicKey] } };
}

const pairOf = (one: FundedAccount | undefined): KeyPair =>
  one ? keysOf(one.account, one.publicKey, one.secretKey) : expect.fail('there is no such account');

describe('accounts', () => {
  it('are made and printed once, or taken, by flags; the printed key spends, and what it sends is mined', async () => {
    const flags = ['--accounts', 'new', '--accounts', `k:${BOB.key}=5.5`, '--graph', 'triangle'];
    await using node = await startEasyProcess(...flags, '--mine-on-transaction', '--no-mining');
    const { stderr, lines } = node.program;
    const made = /^account (k:(\w{64})) has 1000000 coins on each chain; its secret key is (\w{64})$/gm;
    await until('both are printed', () =>
      stderr().includes(`account ${BOB.account} has 5.5 coins on each chain\n`),
    );
    const printed = [...stderr().matchAll(made)];
    expect(printed).toHaveLength(1);
    const [, account = '', key = '', secret = ''] = printed[0] ?? [];
    expect(JSON.stringify(lines)).not.toContain(secret);

    const api = pactApi(node, 2);
    expect(await api.balance(BOB.account)).toBe('5.5');
    const paid = transfer(keysOf(account, key, secret), BOB, '2.0', { chainId: 2 });
    expect((await api.send(paid)).status).toBe(200);
    await until('it is paid', async () => (await api.balance(BOB.account)) === '7.5');
  });

  it('from code have their keys, are paid for blocks, and a snapshot brings their coins back', async () => {
    await using node = await startDevNode({ proofOfWork: false, accounts: ['new=100', 'new'] });
    const [alice, other] = node.accounts.map(pairOf) as [KeyPair, KeyPair];
    const api = pactApi(node);
    const balances = (): Promise<unknown> =>
      Promise.all([alice, other, BOB].map(({ account }) => api.balance(account)));
    expect(await balances()).toEqual(['100', '1000000', undefined]);
    node.orders.snapshots.take('before');
    const paid = transfer(other, BOB, '3.0');
    // To go back and do the same again, twice: no state stays of what was gone back from.
    for (let time = 0; time < 2; time++) {
      expect((await api.send(paid)).status).toBe(200);
      await node.orders.mine({ chains: [0] });
      const [ofAlice, ofOther, ofBob] = (await balances()) as string[];
      expect(Number(ofAlice)).toBeGreaterThan(102);
      expect(Number(ofOther)).toBeLessThanOrEqual(999_997);
      expect(ofBob).toBe('3');
      node.orders.snapshots.revert('before');
      expect(await balances()).toEqual(['100', '1000000', undefined]);
    }
  });

  it('are of the same keys again with the same seed, and of others without', () => {
    const twice = (seed: string): FundedAccount[][] => {
      const settings = { accounts: ['new', 'new'], seed, dataDir: '' };
      return [fundedAccounts(settings), fundedAccounts(settings)];
    };
    const [one, again] = twice('seed');
    expect(again).toEqual(one);
    expect(one?.[0]?.publicKey).not.toBe(one?.[1]?.publicKey);
    const [some, others] = twice('');
    expect(others?.[0]?.publicKey).not.toBe(some?.[0]?.publicKey);
  });

  it('on disk are named, or of a seed, so that the node finds its blocks again', async () => {
    await using folder = await temporaryFolder();
    const start = (options: DevNodeOptions) => startDevNode({ ...EASY, dataDir: folder.path, ...options });
    await expect(start({ accounts: ['new'] })).rejects.toThrow('another at each start');
    for (let time = 0; time < 2; time++) {
      await using node = await start({ accounts: ['new'], seed: 'disk' });
      await node.orders.mine();
      expect(node.cut().height).toBe(10 * (time + 1));
    }
    await expect(start({ accounts: ['new'], seed: 'other' })).rejects.toThrow('another network');
  });

  it.each([
    [{ accounts: ['k:aa'] }, 'Single-key account'],
    [{ accounts: ['new=many'] }, 'many'],
    [{ accounts: [BOB.account, BOB.account] }, 'named twice'],
  ])('%j is refused naming %s', async (options, named) => {
    await expect(startDevNode({ ...EASY, ...options })).rejects.toThrow(named);
  });
});
