/** Lines that fail alone, and what stops all: tests 19 to 23 of `payouts.md`, and what the signer may do (28). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askOf } from '../../../../src/ledger/database/statements.js';
import {
  listHolds,
  pauseByOrder,
  rejectBatch,
  resumePayer,
} from '../../../../src/ledger/transactions/orders.js';
import { payerReport } from '../../../../src/ledger/transactions/view.js';
import type { SignOutcome } from '../../../../src/payouts/signer/signer.js';
import { useBooks } from '../../../helpers/books/books.js';
import { coinsIn, expectProved, giveMoney } from '../../../helpers/books/money.js';
import {
  accountOf,
  coins,
  earn,
  expectPaidOnChain,
  PayerStory,
  type StoryOptions,
} from '../../../helpers/payouts/story.js';
import { PAYER, payment, World, type WorldOptions } from '../../../helpers/payouts/world.js';
import { funds, pactApi } from '../../../helpers/processes/commands.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(() => books.empty());
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

async function begin(options: WorldOptions = {}, story: StoryOptions = {}): Promise<void> {
  world = await World.start(options);
  await world.mine(5);
  payer = await PayerStory.start(world, books, story);
}

describe('19: an account', () => {
  it('with another guard on its chain is held alone, its money back, and the others are paid', async () => {
    await begin();
    await earn(books, { 1: '5', 2: '4' });
    await payer.round();
    const taken = { kind: 'failure', why: 'account guards do not match' } as const;
    payer.preflight = (envelope) => (envelope.cmd.includes(accountOf(1)) ? taken : undefined);
    await payer.prepare();
    await payer.round();
    await payer.blocks(8);
    expect(await coinsIn(books.pool, 'balance')).toMatchObject({ [accountOf(1)]: '5' });
    expect(await payer.seat.due(coins('1'), 9)).toEqual([]);
    await expectPaidOnChain(world, books, [1, 2]);
    await expectProved(books.pool);
  });

  it('that is named by no key is held, also where there is one of that name, and the others are paid', async () => {
    // Whoever came first has the name on this chain.
    await begin({ funds: [funds(PAYER, '1000'), funds({ ...keyPair(66), account: 'somebody' }, '1')] });
    await earn(books, { 1: '5' });
    await giveMoney(books.pool, 'somebody', coins('3'));
    await payer.round();
    await payer.prepare();
    await payer.round();
    await payer.blocks(8);
    expect(await coinsIn(books.pool, 'balance')).toMatchObject({ somebody: '3' });
    expect(await pactApi(world.a).balance('somebody')).toBe('1');
    // Not by the dry run: nothing was written for it.
    const note = expect.stringContaining('only accounts named by their key');
    expect(await listHolds(books.pool, 9)).toMatchObject([{ account: 'somebody', note }]);
    expect(await payer.states()).toEqual(['final', 'held']);
    await expectPaidOnChain(world, books, [1]);
    await expectProved(books.pool);
  });

  it('is no matter of single accounts where most of them fail alike: payouts pause, and nobody is held', async () => {
    await begin();
    await earn(books, { 1: '5', 2: '4', 3: '3' });
    await payer.round();
    payer.preflight = () => ({ kind: 'failure', why: 'account guards do not match' });
    await payer.prepare();
    await payer.round();
    expect(await payer.pause()).toBe('preflight');
    expect(await payer.states()).toEqual(['built', 'built', 'built']);
    await expectProved(books.pool);
  });
});

describe('the paying account', () => {
  it('that another key guards on its chain pauses payouts before anything is signed', async () => {
    const from = { account: 'the pool', publicKeys: [PAYER.key], predicate: 'keys-all' };
    const guard = keyPair(66).keyset;
    const given = [{ account: from.account, guard, amount: '1000' }];
    await begin({ funds: given }, { terms: { from }, eyes: { account: from.account } });
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    await payer.round();
    expect(await payer.pause()).toBe('guard-changed');
    expect(payer.signer.signed).toEqual([]);
    expect(await payer.states()).toEqual(['built']);
  });
});

describe('a guard of the paying account', () => {
  const troubles = async () => (await payerReport(askOf(books.pool))).chains.map(({ trouble }) => trouble);
  const signs = async () => {
    await payer.round(2);
    return [await payer.pause(), await payer.states(), payer.signer.signed.length];
  };

  it('that nobody can read: nothing is signed on its chain, that is shown, and what waits is paid when somebody can', async () => {
    await begin();
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    // What is asked about balances is answered.
    const silent = (_: string, text: string) => (text.includes('"guard"') ? 'no JSON' : text);
    world.a.liar.lie({ local: silent });
    expect(await signs()).toEqual([undefined, ['built'], 0]);
    expect(await troubles()).toEqual([
      expect.stringMatching(/^nothing is signed there now: no node tells of \(coin\.details "k:/),
      '',
      '',
    ]);
    world.a.liar.beHonest();
    expect(await signs()).toEqual([undefined, ['sent'], 1]);
    await payer.round();
    expect(await troubles()).toEqual(['', '', '']);
  });

  it('that two nodes tell differently: the same', async () => {
    await begin({ nodes: 2 });
    await world.agree();
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    const other = keyPair(66).key;
    world.b.liar.lie({
      local: (_, text) =>
        text.includes('"guard"') ? text.replace(/"keys":\["[0-9a-f]+"\]/, `"keys":["${other}"]`) : text,
    });
    expect(await signs()).toEqual([undefined, ['built'], 0]);
    expect(await troubles()).toEqual([
      expect.stringMatching(/^nothing is signed there now: of .* a says .*, b says /),
      '',
      '',
    ]);
    world.b.liar.beHonest();
    expect(await signs()).toEqual([undefined, ['sent'], 1]);
  });
});

describe('a dry run that one node of two fails', () => {
  it('is shown as what is wrong with the chain; its line waits, and is paid once they agree', async () => {
    await begin({ nodes: 2 });
    await world.agree();
    await earn(books, { 1: '5' });
    await payer.round();
    const failed =
      '{"status":"failure","error":{"message":"no","type":"TxFailure","info":"","callStack":[]}}';
    world.b.liar.lie({
      local: (path, text) =>
        path.includes('preflight') ? text.replace(/\{"status":"success","data":"[^"]*"\}/, failed) : text,
    });
    await payer.prepare();
    await payer.round(2);
    expect(await payer.states()).toEqual(['built']);
    const troubles = async () => (await payerReport(askOf(books.pool))).chains.map(({ trouble }) => trouble);
    expect(await troubles()).toEqual([expect.stringMatching(/^a takes .*, and b says: no$/), '', '']);
    expect(await payer.pause()).toBeUndefined();
    world.b.liar.beHonest();
    await payer.round(2);
    expect(await troubles()).toEqual(['', '', '']);
    expect(await payer.states()).toEqual(['sent']);
  });
});

describe('21: a debit of the paying account that is no transaction of ours', () => {
  it('pauses payouts, with who, how much and where', async () => {
    await begin({ funds: [funds(PAYER, '1000'), funds(keyPair(9), '1')] });
    await earn(books, { 1: '5' });
    await payer.round();
    const foreign = payment({
      to: keyPair(66),
      amount: '7.0',
      creationTimeS: world.clock.nowS - 30,
      nonce: 'mine',
    });
    await payer.eyes.send(0, foreign);
    await world.mine(1);
    await payer.round();
    expect(await payer.pause()).toBe('foreign-debit');
    expect((await payer.seat.state()).pause?.says).toContain(
      '7.000000000000 left the paying account on chain 0',
    );
    await expect(payer.prepare()).rejects.toThrow('payouts are paused');
  });
});

describe('21: a debit that comes while payouts are paused for something else', () => {
  it('is told to who resumes: afterwards it would not be seen again', async () => {
    await begin({ funds: [funds(PAYER, '1000'), funds(keyPair(9), '1')] });
    await payer.round();
    await payer.seat.pause({ kind: 'operator', says: 'I move house', evidence: {} });
    const creationTimeS = world.clock.nowS - 30;
    await payer.eyes.send(0, payment({ to: keyPair(66), amount: '7.0', creationTimeS, nonce: 'mine' }));
    await payer.blocks(9);
    const { pause } = await payer.seat.state();
    expect(pause).toMatchObject({ kind: 'operator', evidence: { besides: [{ kind: 'foreign-debit' }] } });
    expect(pause?.says).toContain('I move house; besides: 7.000000000000 left the paying account on chain 0');
  });
});

describe('22: a gas limit that is too low', () => {
  it('is found by the dry run, and pauses where it is most of the lines', async () => {
    await begin({}, { terms: { gasLimit: 100 } });
    await earn(books, { 1: '5', 2: '4', 3: '3', 4: '2' });
    await payer.round();
    await payer.prepare();
    await payer.round();
    expect(await payer.pause()).toBe('preflight');
    expect(await coinsIn(books.pool, 'paying')).toHaveProperty(accountOf(1), '5');
    expect(payer.signer.signed).toEqual([]);
    await expectProved(books.pool);
  });
});

describe('23: a gas price below what nodes take', () => {
  it('is raised with the next attempt, up to what is allowed', async () => {
    await begin({}, { terms: { gasPrice: coins('0.000000001') } });
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    await payer.round();
    await payer.blocks(45);
    expect(await payer.states()).toEqual(['expired', 'final']);
    await expectPaidOnChain(world, books, [1]);
    await expectProved(books.pool);
  });

  it('pauses where they ask for more than is allowed', async () => {
    const low = coins('0.000000001');
    await begin({}, { terms: { gasPrice: low, maxGasPrice: low } });
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    await payer.round();
    expect(await payer.pause()).toBe('gas-price');
    const { says } = (await payer.seat.state()).pause ?? expect.fail('there is no pause');
    expect(says).toContain('takes nothing on chain 0 below a gas price of 0.00000001, and');
    expect(says).toContain('payouts.maxGasPrice is 0.000000001');
  });
});

const withSigs = (outcome: SignOutcome, sigs: readonly string[]): SignOutcome =>
  outcome.is === 'signed'
    ? { is: 'signed', envelope: { ...outcome.envelope, sigs: sigs.map((sig) => ({ sig })) } }
    : outcome;

describe('28: a signer', () => {
  it('that refuses pauses payouts, with its words', async () => {
    await begin();
    await earn(books, { 1: '5' });
    payer.signer.outcome = () => ({ is: 'refused', why: 'above my limit' });
    await payer.round();
    await payer.prepare();
    await payer.round();
    expect(await payer.pause()).toBe('signer-refused');
    expect((await payer.seat.state()).pause?.says).toContain('above my limit');
  });

  it('that refuses a line for ever: its batch is rejected, and comes back when nothing of it can be on the chain', async () => {
    await begin();
    await earn(books, { 1: '5', 2: '4' });
    payer.signer.outcome = (outcome) =>
      outcome.is === 'signed' && outcome.envelope.cmd.includes(accountOf(1))
        ? { is: 'refused', why: 'I do not know it' }
        : outcome;
    await payer.round();
    const name = await payer.prepare();
    await payer.round();
    expect((await payer.states()).toSorted()).toEqual(['built', 'signed']);
    expect(await rejectBatch(books.pool, name, 'the signer refuses', 'anna')).toEqual({
      returned: 0,
      followed: 2,
    });
    await resumePayer(books.pool, 'its batch is rejected', 'anna');
    await payer.round();
    expect((await payer.states()).toSorted()).toEqual(['built', 'signed']);
    await payer.blocks(45);
    expect(await payer.states()).toEqual(['expired', 'expired']);
    expect(await payer.pause()).toBeUndefined();
    expect(await coinsIn(books.pool, 'balance')).toMatchObject({ [accountOf(1)]: '5', [accountOf(2)]: '4' });
    await expectProved(books.pool);
    payer.signer.outcome = undefined;
    await payer.prepare();
    await payer.round();
    await payer.blocks(8);
    await expectPaidOnChain(world, books, [1, 2]);
    await expectProved(books.pool);
  });

  it('that refuses one stops the others too, those that it has signed', async () => {
    await begin();
    await earn(books, { 1: '5', 2: '4' });
    payer.signer.outcome = (outcome) =>
      payer.signer.signed.length > 1 ? { is: 'refused', why: 'above my limit' } : outcome;
    await payer.round();
    await payer.prepare();
    await payer.round(2);
    expect(await payer.pause()).toBe('signer-refused');
    expect(await payer.states()).toEqual(['signed', 'built']);
    await world.mine(2);
    await expectPaidOnChain(world, books, [1, 2]);
  });

  it.each<[string, (outcome: SignOutcome) => SignOutcome]>([
    ['signs something else', (outcome) => withSigs(outcome, ['00'.repeat(64)])],
    ['gives nothing and calls it signed', (outcome) => withSigs(outcome, [])],
    [
      'gives in part what is no signature',
      () => ({
        is: 'partial',
        ...{ signatures: [{ pubKey: PAYER.key, sig: '00'.repeat(64) }], missing: [] },
      }),
    ],
    [
      'gives the signature of another key',
      () => ({
        is: 'partial',
        ...{ signatures: [{ pubKey: keyPair(9).key, sig: '00'.repeat(64) }], missing: [PAYER.key] },
      }),
    ],
  ])('that %s is not believed, whatever signer it is', async (_, outcome) => {
    await begin();
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    payer.signer.outcome = outcome;
    await payer.round(2);
    expect(await payer.states()).toEqual(['built']);
    expect((await payer.seat.live()).map(({ sigs, partial }) => [sigs, partial])).toEqual([[undefined, []]]);
    payer.signer.outcome = undefined;
    await payer.round();
    expect(await payer.states()).toEqual(['sent']);
  });

  it('that cannot now is asked again for the same bytes', async () => {
    await begin();
    await earn(books, { 1: '5' });
    payer.signer.outcome = () => ({ is: 'failed', why: 'it hangs' });
    await payer.round();
    await payer.prepare();
    await payer.round(3);
    expect(await payer.states()).toEqual(['built']);
    expect((await payerReport(askOf(books.pool))).awaited).toEqual({ total: 0, lines: [] });
    payer.signer.outcome = undefined;
    await payer.round();
    await payer.blocks(8);
    expect(new Set(payer.signer.signed).size).toBe(1);
    expect(await payer.states()).toEqual(['final']);
    await expectPaidOnChain(world, books, [1]);
  });
});

describe('paused', () => {
  it('is followed what is on its way, and nothing else is begun', async () => {
    await begin();
    await earn(books, { 1: '5', 2: '4' });
    await payer.round();
    payer.signer.outcome = (outcome) =>
      payer.signer.signed.length > 1 ? { is: 'failed', why: 'it hangs' } : outcome;
    await payer.prepare();
    await payer.round();
    expect(await payer.states()).toEqual(['sent', 'built']);
    await pauseByOrder(books.pool, 'I look first', 'anna');
    payer.signer.outcome = undefined;
    await earn(books, { 3: '3' });
    await payer.blocks(8);
    expect(await payer.states()).toEqual(['final', 'built']);
    expect(payer.signer.signed).toHaveLength(2);
    await expectPaidOnChain(world, books, [1, 2, 3]);
  });
});

describe('coins of a chain', () => {
  it('that do not do for a line: it waits, the reserve stays, and others are paid', async () => {
    await begin({ funds: [funds(PAYER, '10', 0), funds(PAYER, '30', 1)] });
    await earn(books, { 1: '5', 2: '20', 3: '4.85' });
    await payer.round();
    await payer.prepare();
    await payer.round();
    await payer.blocks(8);
    expect((await payer.states()).toSorted()).toEqual(['final', 'final', 'prepared']);
    await expectPaidOnChain(world, books, [1, 2, 3]);
    const left = await payer.eyes.balance(0);
    expect(left.kind === 'agreed' && left.value >= coins('0.1')).toBe(true);
    await expectProved(books.pool);
  });

  it('that were there when the lines were planned, and are gone: payouts pause until they are back', async () => {
    const [thief, friend] = [keyPair(66), keyPair(9)];
    await begin({ funds: [funds(PAYER, '30', 0), funds(friend, '50', 0)] });
    await earn(books, { 1: '20' });
    await payer.round();
    await payer.prepare();
    const move = async (from: typeof friend, to: typeof friend, amount: string) => {
      const nonce = `${amount} ${to.key}`;
      await payer.eyes.send(0, payment({ from, to, amount, creationTimeS: world.clock.nowS - 30, nonce }));
      await world.mine(5);
      await payer.round();
    };
    await move(PAYER, thief, '15.0');
    expect(await payer.pause()).toBe('foreign-debit');
    await resumePayer(books.pool, 'I know the thief', 'anna');
    await payer.round();
    expect((await payer.seat.state()).pause).toMatchObject({
      kind: 'coins-missing',
      says: expect.stringMatching(/the chains together have 14\.99.*takes 20\.000015.*: 5\.00/),
      evidence: { owed: '20.000015000000', chains: [{ chainId: 0 }, { has: '0.000000000000' }, {}] },
    });
    expect(payer.signer.signed).toEqual([]);
    await move(friend, PAYER, '5.5');
    await resumePayer(books.pool, 'they are back', 'anna');
    await payer.round();
    await payer.blocks(8);
    expect(await payer.states()).toEqual(['final']);
    await expectPaidOnChain(world, books, [1]);
    await expectProved(books.pool);
  });
});
