/** Every command of the vectors, which the clients of that network made and signed, against a node. */
import { afterEach, describe, expect, it } from 'vitest';
import type { InitialBalance } from '../../../src/devnode/coin/accounts.js';
import { readCommand, readEnvelope } from '../../../src/devnode/coin/command.js';
import { sizeGasOf } from '../../../src/devnode/coin/execute.js';
import { principalOf } from '../../../src/devnode/coin/guards.js';
import { brokenSignature, hasItsHash } from '../../../src/devnode/coin/signatures.js';
import type { DevNode } from '../../../src/devnode/dev-node.js';
import { type CommandResult, type Envelope, pactApi } from '../../helpers/processes/commands.js';
import { readVectors, vectorsArePresent } from '../../helpers/runner/vectors.js';
import { mineOne, testNodes } from '../helpers.js';

interface Vector {
  readonly id: string;
  readonly command: Envelope;
  readonly initialGas?: { readonly ce32: number };
  readonly expectedInsertError?: string;
}

interface Transfers {
  readonly accounts: Record<string, { account: string; guard: { pred: string; keys: string[] } }>;
  readonly valid: readonly Vector[];
  readonly refused: readonly Vector[];
}

const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

/** A moment at which the commands of the vectors live. */
const START = 1_700_000_060_000_000n;

function vectors(): Transfers {
  return readVectors<Transfers>('transfers');
}

/** Those who send have coins, and so have receivers of transfers that make no account. */
async function nodeWith(names: readonly string[], amount = '1000'): Promise<DevNode> {
  const { accounts } = vectors();
  const initialBalances = names.map((name): InitialBalance => {
    const { account, guard } = accounts[name] ?? expect.fail(name);
    return { account, guard, amount };
  });
  let micros = START;
  return easyNode({ initialBalances, clock: { nowMicros: () => (micros += 1000n) } });
}

const idsOf = (kind: 'valid' | 'refused'): readonly string[] =>
  vectorsArePresent ? vectors()[kind].map(({ id }) => id) : ['none'];
const vectorOf = (id: string): Vector =>
  [...vectors().valid, ...vectors().refused].find((vector) => vector.id === id) ?? expect.fail(id);

/** Sends it, mines a block, and says what came out. */
async function onChain(node: DevNode, { command }: Vector): Promise<CommandResult> {
  const api = pactApi(node);
  const sent = await api.send(command);
  expect([sent.status, sent.text]).toEqual([200, JSON.stringify({ requestKeys: [command.hash] })]);
  await mineOne(node, 0);
  return (await api.poll([command.hash]))[command.hash] ?? expect.fail('it is in no block');
}

describe('vectors of commands', { tags: ['vectors'] }, () => {
  it.each(idsOf('valid'))('%s: hash, signatures and gas for its size', (id) => {
    const { command, initialGas } = vectorOf(id);
    const read = readCommand(readEnvelope(command));
    expect([hasItsHash(read), brokenSignature(read)]).toEqual([true, undefined]);
    expect(sizeGasOf(read)).toBe(initialGas?.ce32);
  });

  it('names of accounts follow from their guards', () => {
    for (const { account, guard } of Object.values(vectors().accounts)) {
      if (!/^[kw]:/.test(account)) continue;
      expect(principalOf({ ...guard, keys: [...guard.keys].sort() })).toBe(account);
    }
  });

  it.each(idsOf('refused'))('%s is refused with the words of real nodes', async (id) => {
    const { command, expectedInsertError = '' } = vectorOf(id);
    const node = await nodeWith(['alice', 'bob']);
    const answer = await pactApi(node).send(command);
    const [fixed = ''] = `One or more transactions were invalid: ${expectedInsertError}`.split('<text');
    expect([answer.status, answer.text.slice(0, fixed.length)]).toEqual([400, fixed]);
    if (!expectedInsertError.includes('<')) expect(answer.text).toBe(fixed);
  });

  it.each([
    ['transfer-1', ['alice', 'bob'], 'bob', '1001.5'],
    ['transfer-create-1', ['alice'], 'carol', '0.123456789012'],
    ['create-account-1', ['alice'], 'dave', '0'],
    ['transfer-w-keys-all', ['jointAll', 'bob'], 'bob', '1007'],
  ])('%s succeeds', async (id, names, receiver, balance) => {
    const node = await nodeWith(names);
    const { result, gas, events, txId } = await onChain(node, vectorOf(id));
    expect(result).toEqual({ status: 'success', data: 'Write succeeded' });
    expect([typeof txId, gas < 2500]).toEqual(['number', true]);
    expect(events?.at(-1)?.params.slice(1)).toEqual(['k:miner', gas / 1e8]);
    const { account = '' } = vectors().accounts[receiver] ?? {};
    expect(await pactApi(node).balance(account)).toBe(balance);
  });

  it('multi-transfer-3: each transfer is told in its order, the fee last', async () => {
    const node = await nodeWith(['alice', 'bob', 'carol', 'dave']);
    const { accounts } = vectors();
    const { result, events, gas } = await onChain(node, vectorOf('multi-transfer-3'));
    expect(result).toEqual({ status: 'success', data: 'Write succeeded' });
    const { alice, bob, carol, dave } = accounts;
    expect(events?.map(({ params }) => params)).toEqual([
      [alice?.account, bob?.account, 10],
      [alice?.account, carol?.account, 1e-12],
      [alice?.account, dave?.account, 2.25],
      [alice?.account, 'k:miner', gas / 1e8],
    ]);
  });

  it.each([
    [
      'exec-fail-unscoped',
      'EvalError',
      'Managed capability coin.TRANSFER was not installed. Check the sigs field or the arguments to verify that the capability is specified correctly.',
    ],
    ['exec-fail-reserved-name', 'TxFailure', 'Single-key account protocol violation'],
    ['exec-fail-precision', 'TxFailure', 'Amount violates minimum precision: 0.0000000000001'],
  ])('%s fails in its block, and all its gas is paid', async (id, type, message) => {
    const node = await nodeWith(['alice', 'bob']);
    const { alice } = vectors().accounts;
    const { result, gas, events, txId } = await onChain(node, vectorOf(id));
    expect(result).toMatchObject({ status: 'failure', error: { type, message } });
    expect([gas, txId]).toEqual([2500, null]);
    expect(events?.map(({ params }) => params)).toEqual([[alice?.account, 'k:miner', 0.000025]]);
    expect(await pactApi(node).balance(alice?.account ?? '')).toBe('999.999975');
  });

  it('exec-fail-gas-scope: a signature for the transfer alone buys no gas', async () => {
    const node = await nodeWith(['alice', 'bob']);
    const { command } = vectorOf('exec-fail-gas-scope');
    const answer = await pactApi(node).send(command);
    const reason = `Attempt to buy gas failed with: "${command.hash}" Failed to buy gas: Keyset failure (keys-all): [8a88e3dd...]`;
    expect([answer.status, answer.text]).toEqual([
      400,
      `One or more transactions were invalid: Transaction "${command.hash}" at index 0 failed with: ${reason}`,
    ]);
  });

  it('crosschain-step0: coins stay on their chain, and that is said', async () => {
    const node = await nodeWith(['alice']);
    const { command } = vectorOf('crosschain-step0');
    const sent = await pactApi(node).send(command);
    const named = 'contracts do not run on this node';
    expect([sent.status, sent.text]).toEqual([400, expect.stringContaining(named)]);
    const asked = await pactApi(node).local(command, '?preflight=false');
    expect(asked.json()).toMatchObject({ result: { error: { message: expect.stringContaining(named) } } });
  });

  it('get-balance-1 and details-1: reads of nobody', async () => {
    const node = await nodeWith(['alice', 'bob']);
    const { bob } = vectors().accounts;
    const read = async (id: string): Promise<unknown> => {
      const answer = await pactApi(node).local(
        vectorOf(id).command,
        '?preflight=false&signatureVerification=false',
      );
      return answer.json<CommandResult>().result;
    };
    expect(await read('get-balance-1')).toEqual({ status: 'success', data: 1000 });
    expect(await read('details-1')).toEqual({
      status: 'success',
      data: { account: bob?.account, balance: 1000, guard: bob?.guard },
    });
  });
});
