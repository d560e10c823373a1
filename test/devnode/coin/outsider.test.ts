/** The client library that wallets of such networks use, with its own helpers and their sequences, against the process. */
import { createSignWithKeypair } from '@kadena/client';
import { composePactCommand, setNetworkId } from '@kadena/client/fp';
import {
  createAccount,
  details,
  discoverAccount,
  getBalance,
  safeTransfer,
  transfer,
  transferAllCommand,
  transferCommand,
  transferCreate,
} from '@kadena/client-utils/coin';
import { estimateGas, estimateGasPrice, preflightClient } from '@kadena/client-utils/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pactApi } from '../../helpers/processes/commands.js';
import { type KeyPair, keyPair } from '../../helpers/processes/key-pair.js';
import { mineOne } from '../helpers.js';
import { type NodeProcess, startEasyProcess } from '../process.js';

const [ALICE, BOB, CAROL] = [keyPair(1), keyPair(2), keyPair(3)];
const NETWORK = 'development';

const AS_REAL = ['--profile', 'chainweb', '--peer-listen', '127.0.0.1:0'];

let node: NodeProcess;
beforeAll(async () => {
  node = await startEasyProcess(
    '--mine-on-transaction',
    '--graph',
    'twenty',
    '--payload-refresh',
    '50ms',
    ...AS_REAL,
  );
  // Coins come from blocks: Alice has mined one. The library asks all of twenty chains for an account.
  const miner = { account: ALICE.account, predicate: 'keys-all', 'public-keys': [ALICE.key] };
  await mineOne(node, 0, miner);
});
afterAll(() => node[Symbol.asyncDispose]());

const configOf = (...pairs: readonly KeyPair[]): Parameters<typeof transferCreate>[1] => ({
  host: node.rootUrl,
  defaults: { networkId: NETWORK, meta: { chainId: '0' } },
  sign: createSignWithKeypair(
    pairs.map(({ key, secret }) => ({ publicKey: key, secretKey: Buffer.from(secret).toString('hex') })),
  ),
});
const account = ({ account, key }: KeyPair): { account: string; publicKeys: string[] } => ({
  account,
  publicKeys: [key],
});
const withKeyset = ({
  account,
  key,
}: KeyPair): { account: string; keyset: { keys: string[]; pred: 'keys-all' } } => ({
  account,
  keyset: { keys: [key], pred: 'keys-all' },
});
const read = (of: KeyPair): Promise<unknown> => getBalance(of.account, NETWORK, '0', node.rootUrl);

describe('the helpers of @kadena/client-utils', () => {
  it('transfer to a new account: signed, tried, submitted, polled for until it is in a block', async () => {
    const seen: string[] = [];
    const done = await transferCreate(
      { sender: account(ALICE), receiver: withKeyset(BOB), amount: '1.5', chainId: '0' },
      configOf(ALICE),
    )
      .on('sign', () => seen.push('sign'))
      .on('preflight', () => seen.push('preflight'))
      .on('submit', () => seen.push('submit'))
      .on('listen', () => seen.push('listen'))
      .execute();
    expect([done, seen]).toEqual(['Write succeeded', ['sign', 'preflight', 'submit', 'listen']]);
    expect(Number(await read(BOB))).toBe(1.5);
  });

  it('read an account: its details, its balance, its principal, and that it is not there', async () => {
    const about = await details(ALICE.account, NETWORK, '0', node.rootUrl);
    expect(about).toMatchObject({ account: ALICE.account, guard: ALICE.keyset });
    const everywhere = await discoverAccount(ALICE.account, NETWORK, node.rootUrl).execute();
    expect(JSON.stringify(everywhere)).toContain(`"principal":"${ALICE.account}"`);
    await expect(details(CAROL.account, NETWORK, '0', node.rootUrl)).rejects.toThrow();
  });

  it('make an account, and transfer to it', async () => {
    const made = await createAccount(
      { ...withKeyset(CAROL), gasPayer: account(ALICE), chainId: '0' },
      configOf(ALICE),
    ).execute();
    expect(made).toBe('Write succeeded');
    const sent = transfer(
      { sender: account(ALICE), receiver: CAROL.account, amount: '0.25', chainId: '0' },
      configOf(ALICE),
    );
    expect(await sent.execute()).toBe('Write succeeded');
    expect(Number(await read(CAROL))).toBe(0.25);
  });

  it('transfer there and a little back, with both keys in one command', async () => {
    const before = Number(await read(CAROL));
    const sent = safeTransfer(
      { sender: account(ALICE), receiver: account(CAROL), amount: '0.5', chainId: '0' },
      configOf(ALICE, CAROL),
    );
    expect(await sent.execute()).toBe('Write succeeded');
    expect(Number(await read(CAROL))).toBeCloseTo(before + 0.5, 9);
  });

  it('hear before they send that it cannot be: the preflight fails, and nothing is sent', async () => {
    const before = await read(ALICE);
    const sent = transfer(
      { sender: account(ALICE), receiver: BOB.account, amount: '1000.0', chainId: '0' },
      configOf(ALICE),
    );
    await expect(sent.execute()).rejects.toMatchObject({ message: 'Insufficient funds' });
    const unsigned = transfer(
      { sender: account(ALICE), receiver: BOB.account, amount: '1.0', chainId: '0' },
      { ...configOf(BOB), sign: async (tx) => ({ ...tx, sigs: [{ sig: '00'.repeat(64) }] }) as never },
    );
    await expect(unsigned.execute()).rejects.toThrow('Invalid transaction signatures');
    expect(await read(ALICE)).toEqual(before);
  });

  it('estimate gas without a signature, and try without sending', async () => {
    const order = { sender: account(ALICE), receiver: BOB.account, amount: '0.01', chainId: '0' as const };
    const { gasLimit, gasPrice } = await estimateGas(
      composePactCommand(transferCommand(order), setNetworkId(NETWORK)),
      node.rootUrl,
    );
    expect([gasLimit > 200 && gasLimit < 2500, gasPrice > 0]).toEqual([true, true]);
    const price = await estimateGasPrice({ host: node.rootUrl, chainId: '0', networkId: NETWORK });
    expect(price).toBeGreaterThanOrEqual(1e-8);
    const tried = await preflightClient(configOf(ALICE))(transferCommand(order)).execute();
    expect(tried).toBe('Write succeeded');
    const all = transferAllCommand({ ...order, receiver: withKeyset(BOB), amount: '100.0' });
    // What the gas takes is gone from the balance when it is read.
    expect(await preflightClient(configOf(ALICE))(all).execute()).toBe('Write succeeded');
  });

  it('what they did is what the node has', async () => {
    const api = pactApi(node);
    expect(Number(await api.balance(BOB.account))).toBe(1.5);
    expect(await api.balance('nobody')).toBeUndefined();
  });
});
