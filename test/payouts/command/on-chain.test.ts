/** Transfers of ours against the development node: included, successful, and their event is the line. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { SignedCommand } from '../../../src/chain/command-models.js';
import { type Payer, payerOfKey } from '../../../src/chain/transfers/accounts.js';
import { checkSignatures } from '../../../src/chain/transfers/envelope.js';
import { buildTransfer, type Transfer } from '../../../src/chain/transfers/transfer.js';
import { type Amount, amountLiteral, parseAmount } from '../../../src/core/money/amount.js';
import { mineOne, testNodes } from '../../devnode/helpers.js';
import { startEasyProcess } from '../../devnode/process.js';
import { type CommandResult, funds, pactApi } from '../../helpers/processes/commands.js';
import { type KeyPair, keyPair } from '../../helpers/processes/key-pair.js';
import { signatureOf } from './sign.js';
import { ONE } from './transfers.js';

const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

const [ALICE, BOB, CAROL, DAVE] = [keyPair(1), keyPair(2), keyPair(3), keyPair(4)];

function signed(transfer: Partial<Transfer>, ...keys: readonly KeyPair[]): SignedCommand {
  const creationTimeS = Math.floor(Date.now() / 1000) - 30;
  const { cmd } = buildTransfer({ ...ONE, creationTimeS, ...transfer });
  const given = keys.map((pair) => ({ pubKey: pair.key, sig: signatureOf(cmd, pair) }));
  const checked = checkSignatures(
    cmd,
    keys.map(({ key }) => key),
    given,
  );
  return checked.is === 'signed' ? checked.envelope : expect.fail(checked.is);
}

/** Blocks of that chain until one has it. */
async function included(
  node: { readonly url: string },
  { hash }: SignedCommand,
  nextBlock: () => Promise<unknown>,
  chainId = 0,
): Promise<CommandResult> {
  for (let block = 0; block < 1000; block++) {
    const result = (await pactApi(node, chainId).poll([hash]))[hash];
    if (result) return result;
    await nextBlock();
  }
  return expect.fail('it is in no block');
}

/** Exact, of a number as answers write it. */
const unitsOf = (text: string): Amount | undefined =>
  parseAmount(text.includes('e') ? Number(text).toFixed(12) : text);

/** Of its events the first, as exact amounts. */
function eventOf({ events = [] }: CommandResult): readonly unknown[] {
  const [from, to, amount] = events[0]?.params ?? [];
  const text = typeof amount === 'number' ? String(amount) : (amount as { decimal: string }).decimal;
  return [events[0]?.name, from, to, unitsOf(text)];
}

describe('a transfer on chain', () => {
  it.each([1n, 10n ** 12n, 1_234_567_890_123n, 12_345_678_901_234_567_890n])(
    'of %s units is its event',
    async (amount) => {
      const initialBalances = [funds(ALICE, '100000000')];
      const node = await easyNode({ initialBalances, payloadRefresh: 1 });
      const api = pactApi(node);
      // The first makes the account, the second finds it.
      for (const attempt of [1, 2]) {
        const envelope = signed({ amount, nonce: `sb1:books:31:${attempt}` }, ALICE);
        const tried = await api.local(envelope, '?preflight=true&signatureVerification=true');
        expect([tried.status, tried.json()]).toMatchObject([
          200,
          { preflightResult: { result: { status: 'success' } } },
        ]);
        expect((await api.send(envelope)).text).toBe(JSON.stringify({ requestKeys: [envelope.hash] }));
        const result = await included(node, envelope, () => mineOne(node));
        expect(result.result).toEqual({ status: 'success', data: 'Write succeeded' });
        expect(eventOf(result)).toEqual(['TRANSFER', ALICE.account, BOB.account, amount]);
        expect(unitsOf((await api.balance(BOB.account)) ?? '')).toBe(amount * BigInt(attempt));
      }
    },
  );

  it('of an account of two keys, which both sign', async () => {
    const joint: Payer = { account: 'pool-joint', publicKeys: [ALICE.key, BOB.key], predicate: 'keys-2' };
    const guard = { pred: 'keys-2', keys: [ALICE.key, BOB.key, CAROL.key] };
    const initialBalances = [{ account: joint.account, guard, amount: '10' }];
    const node = await easyNode({ initialBalances, payloadRefresh: 1 });
    const api = pactApi(node);
    const envelope = signed({ from: joint, to: DAVE.account }, ALICE, BOB);
    expect((await api.send(envelope)).status).toBe(200);
    const result = await included(node, envelope, () => mineOne(node));
    expect([result.result.status, eventOf(result)[3]]).toEqual(['success', ONE.amount]);
  });

  it('on a node as a process of its own, on another chain', async () => {
    await using node = await startEasyProcess('--mine-on-transaction', '--payload-refresh', '50ms');
    const miner = { account: ALICE.account, predicate: 'keys-all', 'public-keys': [ALICE.key] };
    await mineOne(node, 1, miner);
    const api = pactApi(node, 1);
    const envelope = signed({ chainId: 1, from: payerOfKey(ALICE.key) }, ALICE);
    expect((await api.send(envelope)).text).toBe(JSON.stringify({ requestKeys: [envelope.hash] }));
    const result = await included(node, envelope, () => pause(20), 1);
    expect([result.result.status, result.reqKey]).toEqual(['success', envelope.hash]);
    expect(eventOf(result)).toEqual(['TRANSFER', ALICE.account, BOB.account, ONE.amount]);
    expect(await api.balance(BOB.account)).toBe(amountLiteral(ONE.amount));
  });
});
