/** Balances are rules of the chain: they follow the branch, and blocks that say otherwise are refused. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { OrderedClock } from '../../../src/devnode/clock.js';
import { BLOCK_REWARD } from '../../../src/devnode/coin/coinbase.js';
import type { Block, BlockHash } from '../../../src/devnode/consensus/block.js';
import { Chains } from '../../../src/devnode/consensus/chains.js';
import { networkFrom } from '../../../src/devnode/consensus/networks.js';
import type { DevNode } from '../../../src/devnode/dev-node.js';
import type { Miner, Payload } from '../../../src/devnode/mining/payload.js';
import { type Envelope, funds, pactApi, transfer } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { until } from '../../helpers/until.js';
import { ask, mineOne, testNodes } from '../helpers.js';

const { easyNode, newFolder, newStore, cleanUp } = testNodes();
afterEach(cleanUp);

const PEOPLE = [1, 2, 3].map(keyPair);
const [ALICE, BOB, CAROL] = PEOPLE as [(typeof PEOPLE)[0], (typeof PEOPLE)[0], (typeof PEOPLE)[0]];
const MINERS: readonly Miner[] = [4, 5].map((number) => {
  const { account, key } = keyPair(number);
  return { account, predicate: 'keys-all', 'public-keys': [key] };
});
const COIN = 10n ** 12n;
const FUNDS = [funds(ALICE, '100'), funds(BOB, '100')];
const START = 1_700_000_000;
const START_MICROS = BigInt(START) * 1_000_000n;
/** Above all times that the other clock gives. */
const LATER_MICROS = START_MICROS + 60_000_000n;

/** @param from what the clock begins with, in microseconds. */
function newChains(from = START_MICROS): Chains {
  let micros = from;
  const clock = { nowMicros: () => (micros += 1000n) };
  const network = networkFrom('development', {
    graph: 'singleton',
    proofOfWork: false,
    initialBalances: FUNDS,
  });
  return new Chains({ network, store: newStore(), clock: new OrderedClock(clock), log: SILENT });
}

interface Mined {
  readonly header: Uint8Array;
  readonly payload: Payload;
}

/** A block on top of the head, with those of the commands that can be in it. */
function mine(chains: Chains, miner: Miner, envelopes: readonly Envelope[] = []): Mined {
  const head = chains.head(0) ?? expect.fail('no chain');
  const run = chains.beginBlock(head, miner, START_MICROS);
  if (typeof run === 'string') throw new Error(run);
  for (const { hash, sigs, cmd } of envelopes) run.take(JSON.stringify({ hash, sigs, cmd }));
  const payload = run.payload();
  const header = chains.nextHeader(0, payload.payloadHash) ?? expect.fail('no header');
  expect(chains.add(header, payload).outcome).toBe('joined');
  return { header, payload };
}

function rewind(chains: Chains, to: number): void {
  const hash = chains.store.onBranch(0, to);
  if (hash && hash !== chains.head(0)?.hash) expect(chains.forceCut(new Map([[0, hash]]))).toBe(true);
}

function balances(chains: Chains, block = chains.head(0) as Block): Record<string, bigint> {
  const accounts = [...chains.states.behind(block).accounts()];
  return Object.fromEntries(accounts.map(({ name, balance }) => [name, balance]));
}

/** The same blocks, one behind the other, in a new store. */
function replayed(chains: Chains): Record<string, bigint> {
  const fresh = newChains(LATER_MICROS);
  const height = chains.head(0)?.height ?? 0;
  for (let at = 1; at <= height; at++) {
    const block = chains.store.block(chains.store.onBranch(0, at) as BlockHash) ?? expect.fail('no block');
    const payload = chains.store.payload(0, block.payloadHash) ?? expect.fail('no payload');
    expect(fresh.add(block.header, payload).outcome).toBe('joined');
  }
  return balances(fresh);
}

/** A second block on chain 0, for which the others must have one each. */
async function mineHigher(node: DevNode): Promise<void> {
  for (let chain = 1; chain < 10; chain++) await mineOne(node, chain);
  await mineOne(node, 0);
}

const sum = (all: Record<string, bigint>): bigint => Object.values(all).reduce((a, b) => a + b, 0n);
const payment = (from: number, to: number, amount: string, nonce: string): Envelope =>
  transfer(PEOPLE[from] ?? ALICE, PEOPLE[to] ?? BOB, amount, {
    nonce,
    meta: { creationTime: START, gasLimit: 1000, gasPrice: 1e-6 },
  });

describe('the state of a branch', () => {
  it('is that of its blocks replayed, and coins come from coinbases alone', () => {
    const step = fc.record({
      miner: fc.integer({ min: 0, max: 1 }),
      back: fc.integer({ min: 0, max: 3 }),
      payments: fc.array(fc.tuple(fc.nat(2), fc.nat(2), fc.integer({ min: 1, max: 90 })), { maxLength: 3 }),
    });
    const check = (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): void => {
      const chains = newChains();
      const sent: Envelope[] = [];
      for (const [i, { miner, back, payments }] of steps.entries()) {
        rewind(chains, Math.max(0, (chains.head(0)?.height ?? 0) - back));
        for (const [j, [from, to, amount]] of payments.entries())
          sent.push(payment(from, to, `${amount}.0`, `${i} ${j}`));
        // Everything that was ever sent is tried again: what is on the branch already must stay out.
        mine(chains, MINERS[miner] as Miner, sent);
        const minted = BigInt(chains.head(0)?.height ?? 0) * BLOCK_REWARD;
        expect(sum(balances(chains))).toBe(200n * COIN + minted);
      }
      expect(balances(chains)).toEqual(replayed(chains));
    };
    fc.assert(fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), check), { numRuns: 25, seed: 19 });
  });

  it('of every block is still there after others have come, on branches beside the cut too', () => {
    const chains = newChains();
    const [miner] = MINERS as [Miner];
    const seen = new Map<BlockHash, Record<string, bigint>>();
    for (let i = 0; i < 12; i++) {
      rewind(chains, Math.max(0, (chains.head(0)?.height ?? 0) - (i % 3 === 2 ? 2 : 0)));
      mine(chains, miner, [payment(i % 2, 2, '1.5', `${i}`)]);
      seen.set(chains.head(0)?.hash as BlockHash, balances(chains));
    }
    expect(new Set([...seen.values()].map((one) => one[CAROL.account])).size).toBeGreaterThan(3);
    for (const [hash, was] of seen) expect(balances(chains, chains.store.block(hash))).toEqual(was);
  });

  it('holds a request key once on a branch, and once on another', () => {
    const chains = newChains();
    const [miner] = MINERS as [Miner];
    const paid = payment(0, 2, '1.0', 'once');
    const transactionsOf = (mined: Mined): number => mined.payload.transactions.length;
    expect(transactionsOf(mine(chains, miner, [paid, paid]))).toBe(1);
    expect(transactionsOf(mine(chains, miner, [paid]))).toBe(0);
    rewind(chains, 0);
    expect(transactionsOf(mine(chains, miner))).toBe(0);
    expect(transactionsOf(mine(chains, miner, [paid]))).toBe(1);
  });
});

describe('a block that says what is not so is refused', () => {
  const [miner, other] = MINERS as [Miner, Miner];
  /** A block as it is made by others, put before a node that has the one below it. */
  const refusalOf = (change: (payload: Payload) => Payload): string => {
    const [theirs, ours] = [newChains(), newChains(LATER_MICROS)];
    const { payload } = mine(theirs, miner, [payment(0, 2, '1.0', 'honest')]);
    const changed = change(payload);
    const header = ours.nextHeader(0, changed.payloadHash) ?? expect.fail('no header');
    const added = ours.add(header, changed);
    return added.outcome === 'refused' ? added.reason : added.outcome;
  };
  const text = (json: string): string => Buffer.from(json).toString('base64url');
  const decoded = (encoded = ''): string => Buffer.from(encoded, 'base64url').toString();

  it('as it is, it is taken', () => expect(refusalOf((payload) => payload)).toBe('joined'));

  it.each<[string, (payload: Payload) => Partial<Payload>]>([
    [
      'another result',
      ({ outputs }) => ({ outputs: [text(decoded(outputs[0]).replace('"success"', '"failure"'))] }),
    ],
    [
      'another coinbase',
      ({ coinbase }) => ({ coinbase: text(decoded(coinbase).replace('2.304523', '9.304523')) }),
    ],
    ['another miner', () => ({ minerData: text(JSON.stringify(other)) })],
    [
      'another amount',
      ({ transactions }) => ({ transactions: [text(decoded(transactions[0]).replace(' 1.0)', ' 9.0)'))] }),
    ],
    [
      'the same twice',
      ({ transactions: [one = ''], outputs: [out = ''] }) => ({
        transactions: [one, one],
        outputs: [out, out],
      }),
    ],
  ])('with %s', async (_, change) => {
    const { payloadHashesOf } = await import('../../../src/core/bytes/payload-hash.js');
    const { toBase64Url } = await import('../../../src/core/bytes/bytes.js');
    const bytes = (one: string): Uint8Array => Uint8Array.from(Buffer.from(one, 'base64url'));
    const forged = (payload: Payload): Payload => {
      const all = { ...payload, ...change(payload) };
      const hashes = payloadHashesOf({
        minerData: bytes(all.minerData),
        coinbase: bytes(all.coinbase),
        transactions: all.transactions.map(bytes),
        outputs: all.outputs.map(bytes),
      });
      return {
        ...all,
        transactionsHash: toBase64Url(hashes.transactionsHash),
        outputsHash: toBase64Url(hashes.outputsHash),
        payloadHash: toBase64Url(hashes.payloadHash),
      };
    };
    expect(refusalOf(forged)).toContain('the payload');
  });
});

describe('nodes', () => {
  it('find balances on disk again', async () => {
    const dataDir = newFolder();
    const options = { dataDir, initialBalances: FUNDS, payloadRefresh: 1 };
    const first = await easyNode(options);
    await pactApi(first).send(transfer(ALICE, CAROL, '1.5'));
    await mineOne(first, 0);
    const before = await Promise.all(PEOPLE.map(({ account }) => pactApi(first).balance(account)));
    expect(before[2]).toBe('1.5');
    await first.close();
    const second = await easyNode(options);
    expect(await Promise.all(PEOPLE.map(({ account }) => pactApi(second).balance(account)))).toEqual(before);
    await mineHigher(second);
    expect(await pactApi(second).balance('k:miner')).toMatch(/^4\.6/);
  });

  it('agree after a fork on who has what: what was orphaned is paid again, in another block', async () => {
    const control = { host: '127.0.0.1', port: 0 };
    const options = { initialBalances: FUNDS, payloadRefresh: 1, control };
    const node = await easyNode(options);
    const api = pactApi(node);
    const paid = transfer(ALICE, CAROL, '1.5');
    await api.send(paid);
    await mineOne(node, 0);
    expect(await api.balance(CAROL.account)).toBe('1.5');
    expect((await ask(`${node.controlUrl}/rewind`, { method: 'POST', json: { height: 0 } })).status).toBe(
      200,
    );
    expect([await api.balance(CAROL.account), await api.poll([paid.hash])]).toEqual([undefined, {}]);
    // The pool has it again, and so takes it again.
    expect((await api.send(paid)).status).toBe(200);
    await mineOne(node, 0);
    expect(await api.balance(CAROL.account)).toBe('1.5');
    // A pool that has forgotten it says that it is on the chain, though it is not any more: poll alone tells.
    await ask(`${node.controlUrl}/rewind`, { method: 'POST', json: { height: 0 } });
    await ask(`${node.controlUrl}/mempool`, { method: 'DELETE' });
    expect((await api.send(paid)).text).toContain('failed with: Transaction already exists on chain');
    expect(await api.poll([paid.hash])).toEqual({});
  });

  it('go back to a snapshot with its balances, and take what was in a later block again', async () => {
    const control = { host: '127.0.0.1', port: 0 };
    const node = await easyNode({ initialBalances: FUNDS, payloadRefresh: 1, control });
    const api = pactApi(node);
    const paid = transfer(ALICE, CAROL, '1.5');
    await ask(`${node.controlUrl}/snapshots/before`, { method: 'PUT' });
    for (let time = 0; time < 2; time++) {
      expect([await api.balance(CAROL.account), await api.balance('k:miner')]).toEqual([
        undefined,
        undefined,
      ]);
      expect((await api.send(paid)).status).toBe(200);
      await mineOne(node, 0);
      expect(await api.balance(CAROL.account)).toBe('1.5');
      const reverted = await ask(`${node.controlUrl}/snapshots/before/revert`, { method: 'POST' });
      expect(reverted.status).toBe(200);
    }
  });

  it('hand commands on, and take them into blocks of each other', async () => {
    const a = await easyNode({ initialBalances: FUNDS, payloadRefresh: 1, peerPollMs: 50 });
    const b = await easyNode({
      initialBalances: FUNDS,
      payloadRefresh: 1,
      peerPollMs: 50,
      peers: [a.rootUrl],
    });
    const paid = transfer(ALICE, CAROL, '1.5');
    await pactApi(a).send(paid);
    const pool = `${b.url}/chain/0/mempool/member`;
    await until('the command is in the other pool', async () => {
      return (await ask(pool, { method: 'POST', json: [paid.hash] })).json<boolean[]>()[0];
    });
    await mineOne(b, 0);
    expect(await pactApi(b).balance(CAROL.account)).toBe('1.5');
  });
});

describe('two nodes whose link is cut', () => {
  it('agree on every balance when it is healed, and what was orphaned is paid in the end', async () => {
    const options = { initialBalances: FUNDS, payloadRefresh: 1, peerPollMs: 50 };
    const ports = (await freePorts(2)) as [number, number];
    const listen = (i: 0 | 1): { host: string; port: number } => ({ host: '127.0.0.1', port: ports[i] });
    const peersOf = (i: 0 | 1): string[] => [`http://127.0.0.1:${ports[i === 0 ? 1 : 0]}`];
    const a = await easyNode({ ...options, listen: listen(0), peers: peersOf(0) });
    const b = await easyNode({ ...options, listen: listen(1), peers: peersOf(1) });
    for (const node of [a, b]) node.setPeerConnected(false);
    const [here, there] = [transfer(ALICE, CAROL, '1.5'), transfer(BOB, CAROL, '2.5')];
    await pactApi(a).send(here);
    await mineOne(a, 0);
    await pactApi(b).send(there);
    await mineOne(b, 0, MINERS[0]);
    await mineHigher(b);
    expect(await pactApi(a).balance(CAROL.account)).toBe('1.5');
    expect(await pactApi(b).balance(CAROL.account)).toBe('2.5');
    for (const node of [a, b]) node.setPeerConnected(true);
    await until('both have one head', () => a.cut().hashes[0] === b.cut().hashes[0] && a.cut().height > 9);
    expect(await pactApi(a).balance(CAROL.account)).toBe('2.5');
    expect(await pactApi(a).poll([here.hash])).toEqual({});
    // Back in the pool of the node that had it in a block.
    for (const chain of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await mineOne(a, chain);
    await mineOne(a, 0);
    const all = async (node: DevNode): Promise<unknown> =>
      Promise.all([...PEOPLE, keyPair(4)].map(({ account }) => pactApi(node).balance(account)));
    await until(
      'both have the block that pays',
      async () => (await pactApi(b).balance(CAROL.account)) === '4',
    );
    expect(await all(a)).toEqual(await all(b));
  });
});

describe('a pool that does wrong on order', () => {
  const start = async (): Promise<{
    control: (faults: object) => Promise<unknown>;
    api: ReturnType<typeof pactApi>;
    node: Awaited<ReturnType<typeof easyNode>>;
  }> => {
    const node = await easyNode({
      initialBalances: FUNDS,
      payloadRefresh: 1,
      control: { host: '127.0.0.1', port: 0 },
    });
    const control = async (faults: object): Promise<unknown> =>
      (await ask(`${node.controlUrl}/faults`, { method: 'PUT', json: faults })).json();
    return { node, control, api: pactApi(node) };
  };
  const paid = transfer(ALICE, CAROL, '1.5');

  it('drops what comes, though it says that it took it', async () => {
    const { node, control, api } = await start();
    const dropping = { dropTransactions: true, holdTransactions: false };
    expect(await control({ dropTransactions: true })).toMatchObject(dropping);
    expect((await api.send(paid)).json()).toEqual({ requestKeys: [paid.hash] });
    await mineOne(node, 0);
    expect(await api.poll([paid.hash])).toEqual({});
    await control({ dropTransactions: false });
    await api.send(paid);
    await mineHigher(node);
    expect(await api.balance(CAROL.account)).toBe('1.5');
  });

  it('holds what waits, until it is told otherwise', async () => {
    const { node, control, api } = await start();
    await control({ holdTransactions: true });
    await api.send(paid);
    await mineOne(node, 0);
    expect(await api.poll([paid.hash])).toEqual({});
    await control({ holdTransactions: false });
    await mineHigher(node);
    expect(Object.keys(await api.poll([paid.hash]))).toEqual([paid.hash]);
  });

  it('forgets what waits', async () => {
    const { node, api } = await start();
    await api.send(paid);
    const forgotten = await ask(`${node.controlUrl}/mempool`, { method: 'DELETE' });
    expect(forgotten.json()).toEqual({ forgotten: 1 });
    await mineOne(node, 0);
    expect(await api.poll([paid.hash])).toEqual({});
  });
});
