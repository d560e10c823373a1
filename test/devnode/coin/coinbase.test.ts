/** What blocks credit on a network whose contract works that out: figures by the formula of that contract, by hand. */
import { afterEach, expect, it } from 'vitest';
import { coinbaseOf, VAULT } from '../../../src/devnode/coin/coinbase.js';
import { type CommandResult, command, pactApi } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { ask, mineOne, testNodes } from '../helpers.js';

const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

const MINER = keyPair(1);
const payee = { account: MINER.account, predicate: 'keys-all', 'public-keys': [MINER.key] };
const micros = (time: string): bigint => BigInt(Date.parse(time)) * 1000n;
const at = (chainId: number, time: string) =>
  coinbaseOf('stoa', { chainId, miner: MINER.account, parentTime: micros(time) });

it('shares the emission of the year by its blocks: nine tenths to the miner, the rest of all chains to the vault', () => {
  // 27,311,399 s are 910,379 blocks of a chain; 4,840,000 coins by ten times as many: 0.531646709776.
  expect(at(3, '2026-03-01T00:00:00Z')).toMatchObject({ reward: 478_482_038_798n, shared: 0n, events: [] });
  expect(at(0, '2026-12-31T23:59:59Z')).toMatchObject({ reward: 478_482_038_798n, shared: 531_646_709_780n });
  // 4,754,059.405940594059 coins by ten times 365 * 2,880 blocks; and a leap year.
  expect(at(3, '2027-01-01T00:00:00Z').reward).toBe(407_025_634_069n);
  expect(at(3, '2028-06-01T00:00:00Z').reward).toBe(398_791_536_578n);
});

it('says so in its outputs, and balances follow', async () => {
  const node = await easyNode({ network: 'stoa', genesisDifficulty: 4, blockDelay: 1 });
  const [zero, one] = [pactApi(node, 0), pactApi(node, 1)];
  const outputOf = async (chainId: number): Promise<CommandResult> => {
    await mineOne(node, chainId, payee);
    const accept = 'application/json;blockheader-encoding=object';
    const { hashes } = (await ask(`${node.url}/cut`)).json<{ hashes: Record<number, { hash: string }> }>();
    const chain = `${node.url}/chain/${chainId}`;
    const header = await ask(`${chain}/header/${hashes[chainId]?.hash}`, { headers: { accept } });
    const { payloadHash } = header.json<{ payloadHash: string }>();
    const { coinbase } = (await ask(`${chain}/payload/${payloadHash}/outputs`)).json<{ coinbase: string }>();
    return JSON.parse(Buffer.from(coinbase, 'base64url').toString());
  };
  const first = await outputOf(0);
  expect(first.result.data).toBe(
    `Miner ${MINER.account} succesfully mined 0.478482038798 STOA, and injected an additional 0.53164670978 STOA to the UrStoa Vault`,
  );
  expect(first.events).toMatchObject([{ name: 'TRANSMIT', params: [MINER.account, VAULT, 0.53164670978] }]);
  const second = await outputOf(1);
  expect(second.result.data).toBe(`Miner ${MINER.account} succesfully mined 0.478482038798 STOA on Chain 1`);
  expect(second.events).toBeUndefined();
  const balance = async (api: typeof zero, account: string): Promise<string | undefined> => {
    const read = command({ code: `(coin.get-balance "${account}")`, networkId: 'stoa' });
    return /"data":([\d.]+)/.exec((await api.local(read, '?signatureVerification=false')).text)?.[1];
  };
  expect(await balance(zero, MINER.account)).toBe('0.478482038798');
  expect(await balance(zero, VAULT)).toBe('0.53164670978');
  expect(await balance(one, MINER.account)).toBe('0.478482038798');
  expect(await balance(one, VAULT)).toBeUndefined();
});
