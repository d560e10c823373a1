/** Commands by the client against the development node, in both dialects; and nodes that answer what was not asked. */
import { afterEach, describe, expect, it } from 'vitest';
import { decimalIn, NodeClient } from '../../src/node-client/client.js';
import { mineOne, testNodes } from '../devnode/helpers.js';
import { command, funds, GAS, transfer } from '../helpers/processes/commands.js';
import { keyPair } from '../helpers/processes/key-pair.js';
import { failureOf, withNode } from './scripted-node.js';

const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

const [ALICE, BOB, POOR] = [keyPair(1), keyPair(2), keyPair(4)];
const balanceOf = (account: string) => command({ code: `(coin.get-balance "${account}")` });

describe.each(['specification', 'chainweb'] as const)('commands, as on %s', (profile) => {
  const start = async () => {
    const initialBalances = [funds(ALICE, '8900.123456789001')];
    const node = await easyNode({ profile, payloadRefresh: 1, initialBalances });
    return { node, client: await NodeClient.connect({ nodes: node.rootUrl }) };
  };

  it('a payment: tried, sent, heard of, found at its depth, read', async () => {
    const { node, client } = await start();
    const { pact } = client.chain(0);
    const paid = transfer(ALICE, BOB, '1.0');
    const tried = await pact.local(paid, { preflight: true, signatureVerification: true });
    expect(tried).toMatchObject({ result: { status: 'success', data: 'Write succeeded' }, warnings: [] });
    expect(await pact.send([paid])).toEqual([paid.hash]);
    expect([...(await pact.poll([paid.hash]))]).toEqual([]);
    const listening = pact.listen(paid.hash);
    await mineOne(node, 0);
    const heard = await listening;
    expect(heard).toMatchObject({ gas: tried.gas, metaData: { blockHeight: 1 } });
    expect(heard?.events?.map(({ params }) => [params[1], decimalIn(params[2])])[0]).toEqual([
      BOB.account,
      '1.0',
    ]);
    expect((await pact.poll([paid.hash])).get(paid.hash)).toEqual(heard);
    expect((await pact.poll([paid.hash], { confirmationDepth: 1 })).size).toBe(0);
    await client.close();
  });

  it('reads an amount to the last digit, also where no double holds it, and back in time', async () => {
    const { node, client } = await start();
    const { pact } = client.chain(0);
    const unsigned = { signatureVerification: false };
    const { result } = await pact.local(balanceOf(ALICE.account), unsigned);
    expect(decimalIn('data' in result ? result.data : undefined)).toBe('8900.123456789001');
    await pact.send([transfer(ALICE, BOB, '0.5')]);
    await mineOne(node, 0);
    const now = await pact.local(balanceOf(BOB.account), unsigned);
    expect(now.result).toMatchObject({ data: 0.5 });
    const before = await pact.local(balanceOf(BOB.account), { ...unsigned, rewindDepth: 1 });
    expect(before.result).toMatchObject({ status: 'failure', error: { message: /No value found/ } });
    await client.close();
  });

  it('what is refused fails with the words of the node, and those for each command', async () => {
    const { client } = await start();
    const { pact } = client.chain(0);
    const [good, poor, late] = [
      transfer(ALICE, BOB, '1.0'),
      transfer(POOR, BOB, '1.0'),
      transfer(ALICE, BOB, '2.0', { meta: { creationTime: 1 } }),
    ];
    const error = await failureOf(pact.send([good, poor, late]));
    expect([error.code, error.status, error.endpoint]).toEqual([
      'refused',
      400,
      'POST /chain/{chain}/pact/api/v1/send',
    ]);
    expect(error.details.text).toMatch(/^One or more transactions were invalid: Transaction "/);
    const noMoney = `Attempt to buy gas failed with: "${poor.hash}" Failed to buy gas: No value found in table coin_coin-table for key: ${POOR.account}`;
    expect(error.details.refusals).toEqual([
      { index: 1, requestKey: poor.hash, reason: noMoney },
      { index: 2, requestKey: late.hash, reason: 'Transaction time-to-live is expired' },
    ]);
    const unsigned = await failureOf(pact.local({ ...good, sigs: [] }, { preflight: true }));
    expect([unsigned.code, unsigned.details.text]).toEqual([
      'refused',
      'Metadata validation failed: ["Invalid transaction signatures"]',
    ]);
    expect((await failureOf(pact.spv(good.hash, 1))).details.text).toContain('contracts do not run');
    await client.close();
  });

  it('what cannot be asked is not sent', async () => {
    const { client } = await start();
    const { pact } = client.chain(0);
    await expect(pact.send([])).rejects.toThrow('cmds must be a list of 1 to 1000 commands');
    await expect(pact.poll(['short'])).rejects.toThrow('requestKeys[0] must be 43 characters');
    await expect(pact.poll([balanceOf('a').hash], { confirmationDepth: -1 })).rejects.toThrow(
      'confirmationDepth must be a whole number from 0 on',
    );
    await client.close();
  });
});

describe('a node that answers', () => {
  const answering = (json: unknown, ask: (node: NodeClient) => Promise<unknown>): Promise<void> =>
    withNode(
      (_, response) => void response.end(JSON.stringify(json)),
      async (node) => void (await ask(node)),
    );
  const one = command({ code: '1', signers: [[ALICE, [GAS]]] });
  const result = {
    ...{ gas: 1, result: { status: 'success', data: 1 }, logs: null, txId: 1 },
    metaData: null,
  };

  it('another request key fails', async () => {
    const other = 'A'.repeat(43);
    await answering({ requestKeys: [other] }, async (node) => {
      expect((await failureOf(node.chain(0).pact.send([one]))).code).toBe('format');
    });
    for (const answer of [
      { [other]: { ...result, reqKey: other } },
      { [one.hash]: { ...result, reqKey: other } },
    ])
      await answering(answer, async (node) => {
        expect((await failureOf(node.chain(0).pact.poll([one.hash]))).code).toBe('format');
      });
  });

  it('that the wait is over, as older ones do, has nothing', () =>
    answering({ status: 'timeout', 'timeout-micros': 180_000_000 }, async (node) => {
      expect(await node.chain(0).pact.listen(one.hash)).toBeUndefined();
    }));
});
