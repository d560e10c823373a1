/** Nodes that lie, and what an account is said to have. Numbers are those of `payouts.md`, 8. */
import { afterEach, describe, expect, it } from 'vitest';
import type { EncodedHeader } from '../../../../src/chain/encoded-header.js';
import { blockHashOf } from '../../../../src/core/bytes/block-hash.js';
import { toBase64Url } from '../../../../src/core/bytes/bytes.js';
import { encodeHeader, type HeaderFields, powHashOf } from '../../../../src/core/work/header.js';
import { meetsTarget, type Target, targetOf, weightOfTarget } from '../../../../src/core/work/target.js';
import { NodeClient } from '../../../../src/node-client/client.js';
import type { Payload } from '../../../helpers/payouts/liar.js';
import { OnePayment } from '../../../helpers/payouts/one-payment.js';
import { PAYER, type Paid, payment, World, type WorldOptions } from '../../../helpers/payouts/world.js';
import { funds, transfer } from '../../../helpers/processes/commands.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';
import { until } from '../../../helpers/until.js';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

async function begin(options: WorldOptions = {}, paid: Partial<Paid> = {}): Promise<OnePayment> {
  world = await World.start(options);
  await world.mine(5);
  await world.agree();
  return await OnePayment.make(await world.eyes(), paid);
}

const kinds = (paid: OnePayment): string[] => paid.sight.troubles.map(({ kind }) => kind);
const textOf = (base64Url: string): string => Buffer.from(base64Url, 'base64url').toString('utf8');
const base64UrlOf = (text: string): string => Buffer.from(text).toString('base64url');

/** The command as it was, and an output that says otherwise. */
function asFailed(payloads: Payload[]): Payload[] {
  const altered = (output: string): string =>
    base64UrlOf(textOf(output).replace('"status":"success"', '"status":"failure"'));
  return payloads.map((payload) => ({
    ...payload,
    transactions: payload.transactions.map(([command, output]) => [command, altered(output)]),
  }));
}

/** As on public networks, but for the work of a block. */
const WORKED = { genesisDifficulty: 4_096, difficultyWindow: 120 } as const;
const EASY = targetOf(2n);

/** Blocks on top of a node's head that anybody makes in no time: the target is theirs to write, and the weight is right. */
async function cheapBranch(url: string, { everyS, targets }: { everyS: number; targets: Target[] }) {
  const client = await NodeClient.connect(url, 5_000, { verify: { proofOfWork: true } });
  const at = (await client.maintenance.cut()).hashes[0] ?? expect.fail('no chain 0');
  const [real] = (await client.chain(0).encodedHeaderBranch({ upper: [at.hash] }, { limit: 1 })).items;
  await client.close();
  let { fields, hash } = real ?? expect.fail('no header');
  const made: { readonly text: string; readonly hash: string }[] = [];
  for (const target of targets) {
    const child = {
      ...{ ...fields, target, parent: hash, height: fields.height + 1 },
      creationTime: fields.creationTime + BigInt(everyS) * 1_000_000n,
      weight: fields.weight + weightOfTarget(target),
    };
    const header = worked(child);
    hash = blockHashOf(header);
    made.unshift({ text: Buffer.concat([header, hash]).toString('base64url'), hash: toBase64Url(hash) });
    fields = child;
  }
  const [head = expect.fail('no blocks')] = made;
  return {
    hashes: made.map((one) => one.hash).reverse(),
    cut: (text: string) =>
      text
        .replace(`"hash":"${at.hash}"`, `"hash":"${head.hash}"`)
        .replace(`"height":${at.height}`, `"height":${fields.height}`),
    branch: (upper: string) => {
      const from = made.findIndex((one) => one.hash === upper);
      if (from < 0) return undefined;
      const items = [...made.slice(from).map(({ text }) => text), ...(real ? [textOfHeader(real)] : [])];
      return JSON.stringify({ limit: items.length, items, next: null });
    },
  };
}

/** The first so many of a page, and no more to come. */
function pageOf(page: string | undefined, count: number): string {
  const { items } = JSON.parse(page ?? '{"items":[]}') as { items: string[] };
  return JSON.stringify({ limit: count, items: items.slice(0, count), next: null });
}

const textOfHeader = ({ header, hash }: EncodedHeader): string =>
  Buffer.concat([header, hash]).toString('base64url');

function worked(fields: HeaderFields): Uint8Array {
  for (let nonce = 0n; ; nonce++) {
    const header = encodeHeader({ ...fields, nonce });
    if (meetsTarget(powHashOf(header), fields.target)) return header;
  }
}

describe('a node that lies', () => {
  it('15: with a chain of its own that took no work is believed nothing, however heavy it says that is', async () => {
    world = await World.start({ options: { proofOfWork: false, genesisDifficulty: 2 ** 40 } });
    await world.mine(5);
    const { nodes, head, blocks } = await (await world.eyes()).look(0, 0);
    expect(nodes).toMatchObject([{ standing: 'forged', says: expect.stringContaining('no proof of work') }]);
    expect([head, blocks]).toEqual([undefined, []]);
  });

  it('15: with blocks that took next to no work on top of a real one does not prove that a payment has expired', async () => {
    world = await World.start({ nodes: 2, options: WORKED });
    await world.mine(3);
    await world.agree();
    const paid = await OnePayment.make(await world.eyes({ isWorked: true }));
    await paid.send();
    const cheap = await cheapBranch(world.a.url, {
      everyS: 31,
      targets: Array.from({ length: 40 }, () => EASY),
    });
    world.a.liar.lie(cheap);
    expect(await paid.kind()).toBe('waiting');
    expect(paid.sight.nodes).toMatchObject([
      { node: 'a', standing: 'forged', says: expect.stringContaining('another target') },
      { node: 'b', standing: 'agrees' },
    ]);
    world.a.liar.beHonest();
    await world.mine(8);
    await world.agree();
    expect(await paid.kind()).toBe('final');
  });

  it('15: and shows one of them before the one below is found out too', async () => {
    world = await World.start({ nodes: 2, options: WORKED });
    await world.mine(3);
    await world.agree();
    const paid = await OnePayment.make(await world.eyes({ isWorked: true }));
    const targets = [targetOf(BigInt(WORKED.genesisDifficulty)), EASY];
    const { cut, branch, hashes } = await cheapBranch(world.a.url, { everyS: 31, targets });
    const [lower = '', upper = ''] = hashes;
    const alone = (hash: string) => (asked: string) => (asked === hash ? pageOf(branch(hash), 1) : undefined);
    world.a.liar.lie({ cut, branch: alone(upper) });
    expect(await paid.kind()).toBe('withheld');
    world.a.liar.lie({ cut: (text) => cut(text).replace(upper, lower), branch: alone(lower) });
    expect(await paid.kind()).toBe('waiting');
    world.a.liar.lie({ cut, branch: alone(upper) });
    expect(await paid.kind()).toBe('waiting');
    expect(paid.sight.nodes).toMatchObject([{ node: 'a', standing: 'forged' }, { standing: 'agrees' }]);
    expect(paid.sight.head?.hash).toBe(lower);
  });

  it('16: with altered outputs it is found out, and another is believed', async () => {
    const paid = await begin({ nodes: 2 });
    await paid.send();
    await world.mine(1);
    await world.agree();
    world.a.liar.lie({ payloads: asFailed });
    expect(await paid.look()).toMatchObject({ kind: 'included', result: 'success' });
    expect(kinds(paid)).toEqual(['forged']);
    expect(paid.sight.nodes).toMatchObject([{ node: 'a', standing: 'forged' }, { standing: 'agrees' }]);
  });

  it.each([
    ['without its transactions', (all: Payload[]) => all.map((one) => ({ ...one, transactions: [] }))],
    ['with altered outputs', asFailed],
    [
      'of another block',
      (all: Payload[]) => all.map((one) => ({ ...one, payloadHash: one.payloadHash.replace(/^./, 'x') })),
    ],
  ])('16: alone, with payloads %s it brings the chain no further', async (_, payloads) => {
    const paid = await begin();
    await paid.send();
    world.a.liar.lie({ payloads });
    await world.mine(40);
    expect(await paid.kind()).toBe('waiting');
    expect(paid.sight.head?.height).toBe(5);
    expect(kinds(paid)).toContain('forged');
    world.a.liar.beHonest();
    expect(await paid.kind()).toBe('final');
  });

  it('that hides payloads brings the chain no further, and another one does', async () => {
    const paid = await begin({ nodes: 2 });
    await paid.send();
    await world.mine(1);
    await world.agree();
    world.a.liar.lie({ hidesPayloads: true });
    world.b.liar.lie({ isSilent: true });
    expect(await paid.kind()).toBe('waiting');
    expect(kinds(paid)).toEqual(['unreachable']);
    world.b.liar.beHonest();
    expect(await paid.kind()).toBe('included');
    expect(kinds(paid)).toEqual([]);
  });

  it('that names a head which it cannot show is not believed', async () => {
    const paid = await begin();
    world.a.liar.lie({ cut: (text) => text.replace(/"hash":"[\w-]{43}"/, `"hash":"${'A'.repeat(43)}"`) });
    expect(await paid.kind()).toBe('waiting');
    expect(kinds(paid)).toEqual(['unreachable']);
    expect(paid.sight.head?.height).toBe(5);
  });

  it('that hangs is waited for once; others are asked and told without it, until it answers', async () => {
    await begin({ nodes: 2 });
    const eyes = await world.eyes({ timeoutMs: 1_500 });
    // Whoever is slow for other reasons is asked again.
    const seen = (...standings: string[]): Promise<true> =>
      until(standings.join(), async () => {
        const { nodes } = await eyes.look(0, 0);
        return nodes.map(({ standing }) => standing).join() === standings.join();
      });
    await seen('agrees', 'agrees');
    const paid = await OnePayment.make(eyes);
    world.a.liar.lie({ isStalled: true });
    await seen('silent', 'agrees');
    world.a.liar.asked.length = 0;
    expect(await paid.send()).toMatchObject([{ node: 'b' }]);
    expect(await eyes.preflight(0, paid.envelope)).toMatchObject({ kind: 'success' });
    expect(world.a.liar.asked).toEqual([]);
    world.a.liar.beHonest();
    await seen('agrees', 'agrees');
    expect((await paid.send()).map(({ node }) => node)).toEqual(['a', 'b']);
  });

  it('of another network is not asked', async () => {
    const paid = await begin({ nodes: 2 });
    const eyes = await world.eyes({ networkId: 'mainnet01' });
    const { head, troubles, nodes } = await eyes.look(0, 0);
    expect(head).toBeUndefined();
    expect(troubles.map(({ kind }) => kind)).toEqual(['unreachable', 'network', 'network']);
    expect(nodes).toMatchObject([{ standing: 'network' }, { standing: 'network' }]);
    expect(await eyes.send(0, paid.envelope)).toEqual([]);
  });

  it('reads each block once, and asks one question for all chains', async () => {
    await begin();
    const eyes = await world.eyes();
    const { asked } = world.a.liar;
    await Promise.all([0, 1, 2].map((chainId) => eyes.look(chainId, 0)));
    asked.length = 0;
    await Promise.all([0, 1, 2].map((chainId) => eyes.look(chainId, 0)));
    expect(asked).toEqual(['GET /cut']);
    await world.mine(1);
    asked.length = 0;
    const sights = await Promise.all([0, 1, 2].map((chainId) => eyes.look(chainId, 0)));
    const chains = asked.filter((line) => line.includes('/chain/0/'));
    expect(chains).toEqual([
      expect.stringContaining('/header/branch'),
      'POST /chain/0/payload/outputs/batch',
    ]);
    expect(asked.filter((line) => line.includes('/cut'))).toHaveLength(1);
    expect(sights[0]?.blocks.map(({ height }) => height)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('keeps no more than it is told to', async () => {
    await begin();
    const eyes = await world.eyes({ mostBlocks: 20 });
    await world.mine(400, { everyS: 1 });
    const { blocks, head } = await eyes.look(0, 0);
    expect([blocks.length, blocks[0]?.height, head?.height]).toEqual([20, 386, 405]);
  });
});

describe('the account of the payer', () => {
  it('19: guards at the depth: of one account another, of one none', async () => {
    // No k: name can have another guard: a free name stands for it.
    const odd = { account: 'vanity', guard: keyPair(6).keyset, amount: '1' };
    const paid = await begin({ nodes: 2, funds: [funds(PAYER, '10'), odd] });
    const own = await paid.eyes.guard(0, PAYER.account);
    expect(own).toMatchObject({ kind: 'agreed', value: PAYER.keyset, nodes: ['a', 'b'], at: { height: 2 } });
    expect(await paid.eyes.guard(0, odd.account)).toMatchObject({ value: keyPair(6).keyset });
    expect(await paid.eyes.guard(0, keyPair(9).account)).toMatchObject({ kind: 'agreed', value: undefined });
    world.a.liar.lie({ local: (_, text) => text.replaceAll(PAYER.key, keyPair(6).key) });
    expect(await paid.eyes.guard(0, PAYER.account)).toMatchObject({
      kind: 'trouble',
      trouble: { kind: 'disagree' },
    });
  });

  it('its balance is that of the block at the depth, and only what all say', async () => {
    const paid = await begin({ nodes: 2 }, { amount: '8192.000000000001' });
    expect(await paid.eyes.balance(0)).toMatchObject({ kind: 'agreed', value: 1_000n * 10n ** 12n });
    const before = paid.sight.head?.height;
    await paid.eyes.send(
      0,
      payment({ creationTimeS: paid.tx.creationTimeS, amount: '1.000000000001', nonce: 'x' }),
    );
    await world.mine(2);
    await world.agree();
    await paid.look();
    expect(await paid.eyes.balance(0)).toMatchObject({
      value: 1_000n * 10n ** 12n,
      at: { height: (before ?? 0) + 2 - 3 },
    });
    await world.mine(2);
    await world.agree();
    await paid.look();
    const [debit] = paid.sight.blocks.flatMap(({ debits }) => debits);
    expect(debit).toMatchObject({ amount: 1_000_000_000_001n, to: keyPair(9).account });
    const sum = paid.sight.blocks
      .flatMap(({ debits }) => debits)
      .reduce((all, { amount }) => all + amount, 0n);
    expect(await paid.eyes.balance(0)).toMatchObject({ value: 1_000n * 10n ** 12n - sum });
    world.b.liar.lie({ local: (_, text) => text.replace(/"data":.*?,?(?=[,}])/, '"data":1') });
    expect(await paid.eyes.balance(0)).toMatchObject({ kind: 'trouble', trouble: { kind: 'disagree' } });
    world.b.liar.lie({ isSilent: true });
    expect(await paid.eyes.balance(0)).toMatchObject({ kind: 'agreed', nodes: ['a'] });
    world.a.liar.lie({ isSilent: true });
    expect(await paid.eyes.balance(0)).toMatchObject({ kind: 'trouble', trouble: { kind: 'unreachable' } });
  });

  it('a dry run: good, bad in the words of the contract, and where nodes differ', async () => {
    const paid = await begin({ nodes: 2 });
    const { eyes, tx } = paid;
    expect(await eyes.preflight(0, paid.envelope)).toMatchObject({
      kind: 'success',
      gas: expect.any(BigInt),
    });
    const tooMuch = payment({ creationTimeS: tx.creationTimeS, amount: '5000.0' });
    const failure = { kind: 'failure', why: expect.stringContaining('Insufficient funds') };
    expect(await eyes.preflight(0, tooMuch)).toMatchObject(failure);
    const elsewhere = payment({ creationTimeS: tx.creationTimeS, chainId: 1 });
    expect(await eyes.preflight(0, elsewhere)).toMatchObject({
      kind: 'failure',
      why: expect.stringContaining('Chain id'),
    });
    const no = '"status":"failure","error":{"message":"no"}';
    world.a.liar.lie({ local: (_, text) => text.replace(/"status":"success","data":"[^"]*"/, no) });
    expect(await eyes.preflight(0, paid.envelope)).toMatchObject({
      kind: 'trouble',
      trouble: { kind: 'disagree' },
    });
    world.a.liar.lie({ isSilent: true });
    world.b.liar.lie({ isSilent: true });
    expect(await eyes.preflight(0, paid.envelope)).toMatchObject({
      kind: 'trouble',
      trouble: { kind: 'unreachable' },
    });
  });

  it('20: the account gets another guard between the dry run and the block: it fails alone, and is told why', async () => {
    // No k: name can be taken by another: a free name stands for it.
    const vain = { ...keyPair(7), account: 'vanity' };
    const paid = await begin({}, { to: vain });
    expect(await paid.eyes.preflight(0, paid.envelope)).toMatchObject({ kind: 'success' });
    const thief = { ...keyPair(8), account: 'vanity' };
    const meta = { creationTime: paid.tx.creationTimeS, gasPrice: 1e-6, gasLimit: 1500 };
    await paid.eyes.send(0, transfer(PAYER, thief, '0.1', { meta, nonce: 'thief' }));
    await paid.send();
    await world.mine(4);
    expect(await paid.look()).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('guards do not match'),
    });
  });

  it('21: debits are told with the command that made each, its gas apart', async () => {
    const paid = await begin();
    await paid.send();
    const { creationTimeS } = paid.tx;
    const stolen = payment({ creationTimeS, to: keyPair(8), amount: '2.0', nonce: 'thief' });
    await paid.eyes.send(0, stolen);
    await world.mine(1);
    await paid.look();
    const debits = paid.sight.blocks.flatMap((block) => block.debits);
    const of = (key: string): bigint[] =>
      debits.flatMap(({ requestKey, amount }) => (requestKey === key ? [amount] : []));
    expect(debits).toHaveLength(4);
    expect(of(paid.envelope.hash)).toContain(1_500_000_000_000n);
    expect(of(stolen.hash)).toContain(2_000_000_000_000n);
  });
});
