/** Coins moved by the client, on the development node. */
import { afterEach, describe, expect, it } from 'vitest';
import { accountOfSecretKey, connect } from '../../src/node-client/client.js';
import { mineMany, testNodes } from '../devnode/helpers.js';
import { funds } from '../helpers/processes/commands.js';
import { type KeyPair, keyPair } from '../helpers/processes/key-pair.js';
import { failureOf } from './scripted-node.js';

const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

const [ALICE, BOB] = [keyPair(1), keyPair(2)];
const secretOf = ({ secret }: KeyPair): string => Buffer.from(secret).toString('hex');
const ORDER = { from: ALICE.account, to: BOB.account, amount: '1.5' };

async function start() {
  const node = await easyNode({ payloadRefresh: 1, initialBalances: [funds(ALICE, '10.0')] });
  const client = await connect({ nodes: node.rootUrl });
  return { node, client, transfers: client.chain(0).transfers };
}

describe('a transfer', () => {
  it.each([
    ['success', '1.5', 'stood still since its first block', 0],
    ['failure', '11.0', 'goes on', 30],
  ])(
    'is built, signed, sent and waited for, and ends as %s of %s, on a chain that %s',
    async (status, amount, _, blocks) => {
      const { node, client, transfers } = await start();
      await mineMany(node, blocks);
      const transfer = await transfers.build({ ...ORDER, amount });
      const requestKey = await transfers.send(transfers.sign(transfer, secretOf(ALICE)));
      expect(requestKey).toBe(transfer.requestKey);
      const waiting = transfers.waitFor(requestKey, 2);
      await mineMany(node, 60);
      const { result, metaData } = await waiting;
      expect(result.status).toBe(status);
      const { hashes } = await client.maintenance.cut();
      expect((hashes['0']?.height ?? 0) - (metaData?.blockHeight ?? 0)).toBeGreaterThanOrEqual(2);
      await client.close();
    },
  );

  it('of the same order is another one, and the same again only with its nonce', async () => {
    const { client, transfers } = await start();
    const [one, other] = [await transfers.build(ORDER), await transfers.build(ORDER)];
    expect(one.requestKey).not.toBe(other.requestKey);
    const { creationTime } = JSON.parse(one.cmd).meta;
    expect(creationTime).toBeLessThanOrEqual(Date.now() / 1000);
    await client.close();
  });

  it('that nobody has is waited for no longer than is said, or until the caller ends it', async () => {
    const { client, transfers } = await start();
    const { requestKey } = await transfers.build(ORDER);
    expect(await failureOf(transfers.waitFor(requestKey, 0, { withinMs: 1 }))).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining(requestKey),
      advice: expect.any(String),
    });
    const signal = AbortSignal.timeout(100);
    expect((await failureOf(transfers.waitFor(requestKey, 0, { signal }))).code).toBe('aborted');
    await client.close();
  });

  it('that cannot be is refused with a sentence, before the node is asked', async () => {
    const { client, transfers } = await start();
    const policy = { signal: AbortSignal.abort() };
    const refused: [change: object, why: RegExp][] = [
      [{ amount: '1,5' }, /decimal digits/],
      [{ amount: '0' }, /above zero/],
      [{ gasPrice: 'cheap' }, /a gas price is decimal digits/],
      [{ to: 'bob' }, /only accounts named by their key/],
      [{ from: 'alice' }, /with keys-all it signs with 1 to 16 keys/],
      [{ ttlS: 0 }, /time to live/],
    ];
    for (const [change, why] of refused)
      await expect(transfers.build({ ...ORDER, ...change }, policy)).rejects.toThrow(why);
    await client.close();
  });

  it('is signed by all its signers, and nobody else', async () => {
    const { client, transfers } = await start();
    const transfer = await transfers.build(ORDER);
    expect(accountOfSecretKey(secretOf(ALICE))).toBe(ALICE.account);
    expect(() => transfers.sign(transfer)).toThrow(`it lacks the key of ${ALICE.key}`);
    expect(() => transfers.sign(transfer, secretOf(BOB))).toThrow(/none of those that sign/);
    expect(() => transfers.sign(transfer, 'zz')).toThrow('a secret key has 64 hex digits');
    await client.close();
  });
});
