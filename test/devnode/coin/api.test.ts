/** Send, poll, listen and local against a node: what they answer, and every way in which they refuse. */
import { afterEach, describe, expect, it } from 'vitest';
import type { DevNode, DevNodeOptions } from '../../../src/devnode/dev-node.js';
import {
  type CommandParts,
  type CommandResult,
  command,
  type Envelope,
  funds,
  GAS,
  type PactApi,
  pactApi,
  transfer,
  transferCap,
} from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { ask, mineOne, testNodes } from '../helpers.js';

const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

const [ALICE, BOB, CAROL, POOR] = [keyPair(1), keyPair(2), keyPair(3), keyPair(4)];
const NOBODY_KEY = 'DldRwCblQ7Loqy6wYJnaodHl30d3j3eH-qtFzfEv46g';

async function start(options: DevNodeOptions = {}): Promise<{ node: DevNode; api: PactApi }> {
  const initialBalances = [funds(ALICE, '100'), funds(BOB, '100')];
  const node = await easyNode({ initialBalances, payloadRefresh: 1, ...options });
  return { node, api: pactApi(node) };
}

async function resultOf(node: DevNode, envelope: Envelope): Promise<CommandResult> {
  const api = pactApi(node);
  const sent = await api.send(envelope);
  expect([sent.status, sent.text]).toEqual([200, expect.stringContaining(envelope.hash)]);
  await mineOne(node, 0);
  return (await api.poll([envelope.hash]))[envelope.hash] ?? expect.fail('it is in no block');
}

/** Signed by Alice for everything that she may need. */
const byAlice = (code: string, more: Partial<CommandParts> = {}): Envelope =>
  command({ code, signers: [[ALICE, [transferCap(ALICE.account, BOB.account, '50'), GAS]]], ...more });
const toBob = (amount: string): string => `(coin.transfer "${ALICE.account}" "${BOB.account}" ${amount})`;

describe('send', () => {
  it('takes all or none, the same command twice, and names each bad one by its place', async () => {
    const { node, api } = await start();
    const [good, bad] = [transfer(ALICE, BOB, '1.0'), transfer(POOR, BOB, '1.0')];
    const refused = await api.send(good, bad, { ...good, sigs: [] });
    expect([refused.status, refused.headers['content-type']]).toEqual([
      400,
      expect.stringMatching(/^text\/plain/),
    ]);
    expect(refused.text).toBe(
      `One or more transactions were invalid: Transaction "${bad.hash}" at index 1 failed with: ` +
        `Attempt to buy gas failed with: "${bad.hash}" Failed to buy gas: No value found in table coin_coin-table for key: ${POOR.account}, ` +
        `Transaction "${good.hash}" at index 2 failed with: Invalid transaction sigs: ` +
        'The number of signers and signatures do not match. Number of signers: 1. Number of signatures: 0.',
    );
    for (let time = 0; time < 2; time++) {
      const taken = await api.send(good);
      expect([taken.status, taken.json()]).toEqual([200, { requestKeys: [good.hash] }]);
    }
    await mineOne(node, 0);
    expect((await api.send(good)).text).toContain('failed with: Transaction already exists on chain');
  });

  it.each<[string, Partial<CommandParts>]>([
    ['Transaction gas limit exceeds block gas limit (150000)', { meta: { gasLimit: 150_001 } }],
    [
      "insert error: This transaction's gas price: 1.0000001e-6 is not correctly rounded. It should be rounded to at most 12 decimal places.",
      { meta: { gasPrice: 0.0000010000001 } },
    ],
    ['Transaction gas price (1.0e-9) is below minimum gas price (1.0e-8)', { meta: { gasPrice: 1e-9 } }],
    ['Transaction creation time too far in the future', { meta: { creationTime: Date.now() / 1000 + 3600 } }],
    ['Transaction time-to-live is expired', { meta: { creationTime: Date.now() / 1000 - 3600 } }],
    ['Transaction time-to-live is expired', { meta: { ttl: 200_000 } }],
    ['insert error: Unparsable ChainId', { meta: { chainId: 'x' } }],
    ['Transaction metadata (chain id, chainweb version) conflicts with this endpoint', { chainId: 1 }],
    [
      'Transaction metadata (chain id, chainweb version) conflicts with this endpoint',
      { networkId: 'mainnet01' },
    ],
    ["Pact parse error: Expected: [')']", { code: '(coin.transfer "a" "b"' }],
    ['Pact parse error: contracts do not run on this node', { code: '(+ 1 2)' }],
    [
      'Pact parse error: contracts do not run on this node',
      { code: '(coin.transfer-crosschain "a" "b" 1 "1" 1.0)' },
    ],
    ['Failed to buy gas: Keyset failure (keys-all): [8139770e...]', { sender: BOB.account }],
    ['Failed to purchas gas: tx too big for gas limit', { meta: { gasLimit: 20 } }],
    ['Failed to buy gas: Insufficient funds', { meta: { gasLimit: 100_000, gasPrice: 1 } }],
  ])('refuses: %s', async (reason, parts) => {
    const { api } = await start();
    const bad = byAlice(toBob('1.0'), parts);
    const { status, text } = await api.send(bad);
    const start_ = `One or more transactions were invalid: Transaction "${bad.hash}" at index 0 failed with: `;
    expect([status, text.slice(0, start_.length)]).toEqual([400, start_]);
    expect(text).toContain(reason);
  });

  it('refuses what cannot be read, what is no JSON, too many, other types, other methods, other chains', async () => {
    const { node, api } = await start();
    const url = `${node.url}/chain/0/pact/api/v1/send`;
    const { hash, sigs } = byAlice(toBob('1.0'));
    const unreadable = await api.send({ hash, sigs, cmd: '{"payload":1}' });
    expect([unreadable.status, unreadable.text]).toEqual([
      400,
      expect.stringMatching(/^reading JSON for transaction failed: /),
    ]);
    for (const json of [{}, { cmds: [] }, { cmds: [{}] }, { cmds: [{ hash: 'x', sigs, cmd: '{}' }] }, []])
      expect((await ask(url, { method: 'POST', json })).status).toBe(400);
    expect((await ask(url, { method: 'POST', body: '{}' })).status).toBe(415);
    expect((await ask(url)).status).toBe(405);
    const elsewhere = await ask(url.replace('/chain/0/', '/chain/77/'), { method: 'POST', json: {} });
    expect([elsewhere.status, elsewhere.text]).toEqual([404, '']);
    const asked = { requestKey: hash, targetChainId: '1' };
    const spv = await ask(`${node.url}/chain/0/pact/spv`, { method: 'POST', json: asked });
    expect([spv.status, spv.text]).toEqual([400, expect.stringContaining('contracts do not run')]);
  });

  it('takes a command that is stamped now on a chain that stood still for years', async () => {
    const { node } = await start();
    // The genesis block is of 2019.
    const { result, metaData } = await resultOf(node, transfer(ALICE, CAROL, '1.0'));
    expect([result.status, metaData?.['blockHeight']]).toEqual(['success', 1]);
  });
});

describe('poll and listen', () => {
  it('answer what is in the block, from the depth on that is asked for', async () => {
    const { node, api } = await start();
    const paid = transfer(ALICE, CAROL, '1.0');
    const listening = api.listen(paid.hash);
    const result = await resultOf(node, paid);
    expect((await listening).json()).toEqual(result);
    const { heights, hashes } = node.cut();
    expect(Object.keys(result)).toEqual([
      'gas',
      'result',
      'reqKey',
      'logs',
      'events',
      'metaData',
      'continuation',
      'txId',
    ]);
    expect(result.metaData).toMatchObject({ blockHeight: heights[0], blockHash: hashes[0] });
    expect(await api.poll([paid.hash], '?confirmationDepth=1')).toEqual({});
    for (const id of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await mineOne(node, id);
    await mineOne(node, 0);
    expect(Object.keys(await api.poll([paid.hash], '?confirmationDepth=1'))).toEqual([paid.hash]);
    expect(await api.poll([paid.hash], '?confirmationDepth=2')).toEqual({});
  });

  it('know nothing of what waits or never came, and refuse what is no key', async () => {
    const { node, api } = await start();
    const waits = transfer(ALICE, CAROL, '1.0');
    await api.send(waits);
    expect(await api.poll([waits.hash, NOBODY_KEY])).toEqual({});
    const url = `${node.url}/chain/0/pact/api/v1`;
    for (const json of [{}, { requestKeys: [] }, { requestKeys: ['short'] }])
      expect((await ask(`${url}/poll`, { method: 'POST', json })).status).toBe(400);
    expect((await ask(`${url}/listen`, { method: 'POST', json: { listen: 7 } })).status).toBe(400);
  });
});

describe('local', () => {
  it('reads for nobody, at nobody’s cost, and keeps nothing', async () => {
    const { node, api } = await start();
    const read = byAlice(`(coin.details "${BOB.account}")`, { signers: [] });
    const answer = (await api.local(read)).json<CommandResult>();
    expect(answer.result.data).toEqual({ account: BOB.account, balance: 100, guard: BOB.keyset });
    expect(answer.metaData).toMatchObject({ blockHeight: 1, publicMeta: { gasLimit: 2500, gasPrice: 1e-8 } });
    const moved = (await api.local(byAlice(toBob('7.0')))).json<CommandResult>();
    expect(moved.result).toEqual({ status: 'success', data: 'Write succeeded' });
    await mineOne(node, 0);
    expect(await api.balance(BOB.account)).toBe('100');
  });

  it('looks back as far as it is told', async () => {
    const { node, api } = await start();
    await resultOf(node, transfer(ALICE, BOB, '1.0'));
    const read = byAlice(`(coin.get-balance "${BOB.account}")`, { signers: [] });
    const before = await api.local(read, '?rewindDepth=1&signatureVerification=false');
    expect(before.json<CommandResult>().result.data).toBe(100);
    expect(await api.balance(BOB.account)).toBe('101');
    expect((await api.local(read, '?rewindDepth=9')).status).toBe(400);
  });

  it('preflight tells the result and the gas as they come, and changes nothing', async () => {
    const { node, api } = await start();
    const paid = transfer(ALICE, CAROL, '1.0');
    const told = (await api.local(paid, '?preflight=true&signatureVerification=true')).json<{
      preflightResult: CommandResult;
      preflightWarnings: string[];
    }>();
    expect(told.preflightWarnings).toEqual([]);
    expect(told.preflightResult.events?.at(-1)?.params[1]).toBe('NoMiner');
    const { result, gas } = await resultOf(node, paid);
    expect(told.preflightResult).toMatchObject({ result, gas });
  });

  it.each<[string, Partial<CommandParts>, string, string]>([
    ['Chain id mismatch', { chainId: 3 }, '?preflight=true', ''],
    ['Network id mismatch', { networkId: 'x' }, '?preflight=true', ''],
    ['Transaction Gas limit exceeds block gas limit', { meta: { gasLimit: 150_001 } }, '?preflight=true', ''],
    ['Gas price decimal precision too high', { meta: { gasPrice: 1e-13 } }, '?preflight=true', ''],
    ['Tx time outside of valid range', { meta: { ttl: 0 } }, '?preflight=true', ''],
    ['Invalid transaction signatures', {}, '?preflight=true', '00'],
    ['failed to parse ed25519 signature', {}, '', '00'],
  ])('refuses with 400: %s', async (reason, parts, query, sig) => {
    const { api } = await start();
    const envelope = byAlice(toBob('1.0'), parts);
    const { status, text } = await api.local(sig ? { ...envelope, sigs: [{ sig }] } : envelope, query);
    expect([status, text]).toEqual([400, expect.stringMatching(/^Metadata validation failed: \["/)]);
    expect(text).toContain(reason);
  });

  it('refuses another hash in either way of checking, and what is no command', async () => {
    const { node, api } = await start();
    const envelope = { ...byAlice(toBob('1.0')), hash: NOBODY_KEY };
    expect((await api.local(envelope)).text).toBe(
      'Metadata validation failed: ["The hash of the payload was invalid."]',
    );
    expect((await api.local(envelope, '?signatureVerification=false')).text).toContain(
      `Validation failed: Hash Mismatch, received ${NOBODY_KEY} but our hashing resulted in `,
    );
    const url = `${node.url}/chain/0/pact/api/v1/local`;
    expect((await api.local({ ...envelope, cmd: '{}' })).text).toMatch(/^Validation failed: /);
    expect((await ask(url, { method: 'POST', json: {} })).text).toContain('cmd must be');
    expect((await ask(`${url}?preflight=maybe`, { method: 'POST', json: {} })).status).toBe(400);
  });

  it('answers a gas purchase that fails, code that cannot be read and calls that are not here as failures', async () => {
    const { api } = await start();
    const poor = transfer(POOR, BOB, '1.0');
    const unpaid = (await api.local(poor, '?preflight=true')).json<{ preflightResult: CommandResult }>();
    expect(unpaid.preflightResult).toMatchObject({
      ...{ gas: 2500, txId: null, metaData: null, logs: null },
      result: {
        error: { type: 'EvalError', message: expect.stringContaining(`"${poor.hash}" Failed to buy gas: `) },
      },
    });
    const free = await api.local(byAlice(toBob('1.0'), { meta: { gasPrice: 0 } }), '?preflight=true');
    expect(free.text).toContain('Failed to buy gas: gas supply must be a positive quantity');
    const unread = (await api.local(byAlice('(coin.transfer'), '?preflight=true')).json<CommandResult>();
    expect(unread).toMatchObject({ gas: 2500, result: { error: { type: 'SyntaxError' } } });
    const foreign = (await api.local(byAlice('(free.module.call 1)'))).json<CommandResult>();
    expect(foreign).toMatchObject({ metaData: null, result: { error: { type: 'EvalError' } } });
  });
});
