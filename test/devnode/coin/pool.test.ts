/** The pool: which commands get into a block first, which must wait, and which are thrown out. */
import { afterEach, describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { OrderedClock } from '../../../src/devnode/clock.js';
import { type Command, readCommand, readEnvelope } from '../../../src/devnode/coin/command.js';
import { Chains } from '../../../src/devnode/consensus/chains.js';
import { networkFrom } from '../../../src/devnode/consensus/networks.js';
import type { DevNode } from '../../../src/devnode/dev-node.js';
import { Mempool } from '../../../src/devnode/mining/mempool.js';
import { Faults } from '../../../src/devnode/orders/faults.js';
import { incomeOf } from '../../../src/ledger/settlement/block-income.js';
import {
  type CommandParts,
  type CommandResult,
  command,
  type Envelope,
  funds,
  pactApi,
  transfer,
} from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { ask, askWork, mineOne, testNodes } from '../helpers.js';

const { easyNode, newStore, cleanUp } = testNodes();
afterEach(cleanUp);

const [ALICE, BOB, CAROL, POOR] = [keyPair(1), keyPair(2), keyPair(3), keyPair(4)];
const NOW = 1_700_000_000;

/** A clock that the test moves, in seconds; it never gives one time twice. */
class SetClock {
  seconds = NOW;
  #ticks = 0n;

  nowMicros(): bigint {
    this.#ticks += 1000n;
    return BigInt(this.seconds) * 1_000_000n + this.#ticks;
  }
}

async function start(): Promise<{ node: DevNode; clock: SetClock; api: ReturnType<typeof pactApi> }> {
  const clock = new SetClock();
  const initialBalances = [funds(ALICE, '1000'), funds(BOB, '1000'), funds(POOR, '0.000026')];
  const node = await easyNode({ initialBalances, payloadRefresh: 1, clock });
  return { node, clock, api: pactApi(node) };
}

const paying = (gasPrice: number, gasLimit = 2500, more: Partial<CommandParts> = {}): Envelope =>
  transfer(ALICE, CAROL, '1.0', {
    meta: { gasPrice, gasLimit, creationTime: NOW },
    nonce: `${gasPrice}`,
    ...more,
  });

interface Payload {
  readonly coinbase: string;
  readonly transactions: readonly (readonly [string, string])[];
}

/** Of the newest block of chain 0. */
async function newestPayload(node: DevNode): Promise<Payload> {
  const hash = node.cut().hashes[0];
  const header = (await ask(`${node.url}/chain/0/header/${hash}`, { headers: { accept: OBJECT } })).json<{
    payloadHash: string;
  }>();
  return (await ask(`${node.url}/chain/0/payload/${header.payloadHash}/outputs`)).json<Payload>();
}
const OBJECT = 'application/json;blockheader-encoding=object';

/** Request keys in that block, in their order. */
async function includedIn(node: DevNode): Promise<string[]> {
  const { transactions } = await newestPayload(node);
  return transactions.map(([, output]) => JSON.parse(Buffer.from(output, 'base64url').toString()).reqKey);
}

describe('a block takes', () => {
  it('the dearest first', async () => {
    const { node, api } = await start();
    const all = [paying(2e-8), paying(1e-8), paying(5e-7)];
    expect((await api.send(...all)).status).toBe(200);
    await mineOne(node, 0);
    const [middle, cheap, dear] = all.map(({ hash }) => hash);
    expect(await includedIn(node)).toEqual([dear, middle, cheap]);
  });

  it('as much gas as it has, and leaves the others waiting', async () => {
    const { node, api } = await start();
    const all = [paying(3e-8, 100_000), paying(2e-8, 149_000), paying(1e-8, 20_000)];
    expect((await api.send(...all)).status).toBe(200);
    await mineOne(node, 0);
    // The first uses some hundred units of what it may: the second fits, and its limit is all that is left beside.
    const [first, second, third] = all.map(({ hash }) => hash);
    expect(await includedIn(node)).toEqual([first, second, third]);
    const greedy = [paying(3e-7, 150_000), paying(2e-7, 150_000)];
    await api.send(...greedy);
    for (let chain = 1; chain < 10; chain++) await mineOne(node, chain);
    await mineOne(node, 0);
    expect(await includedIn(node)).toEqual([greedy[0]?.hash]);
    for (let chain = 1; chain < 10; chain++) await mineOne(node, chain);
    await mineOne(node, 0);
    expect(await includedIn(node)).toEqual([greedy[1]?.hash]);
  });

  it('its coinbase first, and the fees for the same miner, as books of pools read them', async () => {
    const { node, api } = await start();
    const paid = paying(1e-6);
    await api.send(paid);
    await mineOne(node, 0);
    const { coinbase, transactions } = await newestPayload(node);
    const decoded = (one: string): string => Buffer.from(one, 'base64url').toString();
    const income = incomeOf({
      coinbase: decoded(coinbase),
      transactions: transactions.map(([text, output]) => ({
        command: decoded(text),
        output: decoded(output),
      })),
    });
    const { gas } = (await api.poll([paid.hash]))[paid.hash] ?? expect.fail('it is in no block');
    expect(income).toEqual({
      ...{ reward: 2_304_523_000_000n, fees: BigInt(gas) * 1_000_000n },
      receiver: 'k:miner',
    });
    expect(await api.balance('k:miner')).toBe(String(2.304523 + gas * 1e-6));
  });
});

describe('a miner', () => {
  it('gets no work for an account of other keys, on the chains where it is one', async () => {
    const { node } = await start();
    const stolen = { account: ALICE.account, predicate: 'keys-all', 'public-keys': [BOB.key] };
    const refused = await askWork(node, 0, stolen);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('has another guard')]);
    const notYet = { ...stolen, account: CAROL.account };
    expect((await askWork(node, 0, notYet)).text).toContain(`which is ${BOB.account}`);
    // Names that are nobody's by their form may be any miner's.
    expect((await askWork(node, 0, { ...stolen, account: 'k:somebody' })).status).toBe(200);
  });
});

describe('a command leaves the pool', () => {
  it('when its time is over', async () => {
    const { node, clock, api } = await start();
    const short = paying(1e-8, 2500, { meta: { creationTime: NOW, ttl: 60 } });
    await api.send(short);
    clock.seconds = NOW + 61;
    const member = await ask(`${node.url}/chain/0/mempool/lookup`, { method: 'POST', json: [short.hash] });
    expect(member.json()).toEqual([{ tag: 'Missing' }]);
    await mineOne(node, 0);
    expect(await includedIn(node)).toEqual([]);
    expect((await api.send(short)).text).toContain('Transaction time-to-live is expired');
  });

  it('when it cannot be in a block any more: it is badlisted, and its asker hears so', async () => {
    const { node, api } = await start();
    // Enough for the gas of either, not of both.
    const both = ['a', 'b'].map((nonce) =>
      command({
        code: `(coin.create-account "${nonce}${nonce}${nonce}" (read-keyset "ks"))`,
        data: { ks: POOR.keyset },
        signers: [[POOR]],
        meta: { creationTime: NOW },
        nonce,
      }),
    ) as [Envelope, Envelope];
    expect((await api.send(...both)).status).toBe(200);
    await mineOne(node, 0);
    expect(await includedIn(node)).toEqual([both[0].hash]);
    const { [both[1].hash]: told } = await api.poll([both[1].hash]);
    expect(told).toMatchObject({
      gas: 0,
      txId: null,
      metaData: null,
      result: { error: { type: 'TxFailure' } },
    });
    const reason = 'Transaction is badlisted because it previously failed to validate.';
    expect(told?.result.error?.message).toBe(reason);
    expect((await api.listen(both[1].hash)).json<CommandResult>().result.error?.message).toBe(reason);
    expect((await api.send(both[1])).text).toContain(reason);
  });
});

describe('a full pool', () => {
  it('takes what is sent, and has forgotten it, as real nodes do; peers hear that it is full', () => {
    const clock = new SetClock();
    const network = networkFrom('development', {
      graph: 'singleton',
      initialBalances: [funds(ALICE, '1000')],
    });
    const chains = new Chains({ network, store: newStore(), clock: new OrderedClock(clock), log: SILENT });
    const all = [paying(1e-8), paying(2e-8)].map(({ hash, sigs, cmd }) =>
      readCommand(readEnvelope(JSON.parse(JSON.stringify({ hash, sigs, cmd })))),
    ) as [Command, Command];
    const room = 2 * all[0].text.length;
    const faults = new Faults(new AbortController().signal);
    const pool = new Mempool({ chains, clock, nonce: 1n, onInsert: () => {}, faults }, room);
    expect(all.map((one) => pool.send(0, [one]))).toEqual([[], []]);
    expect(pool.pending(0, 0).keys).toEqual([all[0].hash]);
    expect(pool.insert(0, [all[1].text])).toMatchObject({ isFull: true });
  });
});

describe('mempool/insert', () => {
  it('passes over commands that could not be in a block, and takes the others as they stand in blocks', async () => {
    const { node } = await start();
    const [good, bad] = [paying(1e-8), { ...paying(2e-8), sigs: [] }];
    const texts = [
      JSON.stringify({ sigs: good.sigs, more: 1, cmd: good.cmd, hash: good.hash }),
      JSON.stringify(bad),
    ];
    const insert = `${node.url}/chain/0/mempool/insert`;
    expect((await ask(insert, { method: 'PUT', json: texts })).status).toBe(200);
    const lookup = `${node.url}/chain/0/mempool/lookup`;
    expect((await ask(lookup, { method: 'POST', json: [good.hash, bad.hash] })).json()).toEqual([
      { tag: 'Pending', contents: JSON.stringify({ hash: good.hash, sigs: good.sigs, cmd: good.cmd }) },
      { tag: 'Missing' },
    ]);
  });
});
