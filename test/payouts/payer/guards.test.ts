/** What the contract or a node refuses, of one payment or of all. */
import { describe, expect, it } from 'vitest';
import { requestKeyOf } from '../../../src/chain/request-key.js';
import type { Payer } from '../../../src/chain/transfers/accounts.js';
import {
  accountOf,
  held,
  MINER,
  OTHER_PAYER,
  PAST_TIME_S,
  PayerStory,
  undoLost,
} from '../../helpers/payouts/payer-story.js';
import { DEPTH, PAYER } from '../../helpers/payouts/payer-terms.js';
import { transfer } from '../../helpers/processes/commands.js';
import { type KeyPair, keyPair } from '../../helpers/processes/key-pair.js';
import { until } from '../../helpers/until.js';

const FORTY = Array.from({ length: 40 }, (_, i) => i + 1);
const eachFive = (numbers: readonly number[]) => Object.fromEntries(numbers.map((number) => [number, '5']));

/** What is tried goes to an account that somebody else guards, as these would be after their guard was rotated: contracts of today let no account of a key do so. */
function haveOtherGuards(story: PayerStory, numbers: readonly number[]): void {
  const accounts = numbers.map(accountOf);
  story.first.tap.set({
    onRequest: (text) => {
      const at = text.indexOf('{"cmd":');
      const mine = accounts.find((account) => text.includes(account));
      if (at < 0 || text.includes('"cmds"') || mine === undefined) return text;
      const tried = JSON.parse(text.slice(at));
      const cmd = tried.cmd.replaceAll(mine, MINER.account);
      return text.slice(0, at) + JSON.stringify({ ...tried, cmd, hash: requestKeyOf(cmd) });
    },
  });
}

const notesOf = async (story: PayerStory): Promise<string[]> => {
  const { rows } = await story.pool.query<{ note: string }>("SELECT note FROM payout_line WHERE note <> ''");
  return rows.map(({ note }) => note);
};

describe('19: another guard', () => {
  it('of one of forty accounts leaves that one out; the others are paid, and nobody is held', async () => {
    await using story = await PayerStory.open();
    haveOtherGuards(story, [7]);
    story.pay();
    await story.owe(eachFive(FORTY));
    const others = FORTY.filter((number) => number !== 7);
    await story.mineUntil(...others.map(() => '1 paid'));
    expect(await notesOf(story)).toEqual([expect.stringContaining('account guards do not match')]);
    expect(await story.shown()).toMatchObject({ pauses: [], held: 0, lines: 1 });
    await story.expectPaid({ ...eachFive(others), 7: '0' });
  });

  it('of all forty is no matter of theirs: payments pause, nobody is held, and all are paid when it is over', async () => {
    await using story = await PayerStory.open();
    haveOtherGuards(story, FORTY);
    const payer = story.pay();
    await story.owe(eachFive(FORTY));
    await story.paused('dryRuns');
    expect(await story.states()).toEqual([]);
    expect(await story.shown()).toMatchObject({ held: 0, lines: 40 });
    story.first.tap.set({ onRequest: (text) => text });
    await story.orders.resumePayments({ note: 'a test' }, 'alice');
    // What a dry run refused waits five minutes for the next, or for another start.
    await payer[Symbol.asyncDispose]();
    story.pay();
    await story.mineUntil(...FORTY.map(() => '1 paid'));
    await story.expectPaid(eachFive(FORTY));
  });
});

describe('20: another guard of the paying account', () => {
  it('in the block than in the dry run: what was signed is in none, its time is over, and payments pause', async () => {
    await using story = await PayerStory.open();
    const from: Payer = { account: 'the pool', publicKeys: [PAYER.key], predicate: 'keys-all' };
    const guardedBy = (pair: KeyPair) => {
      const meta = { gasLimit: 2_500, ttl: 60, creationTime: Math.floor(story.nowMs / 1_000) - 30 };
      return story.send(transfer(OTHER_PAYER, { ...pair, account: from.account }, '20.0', { meta }));
    };
    const height = Math.min(...Object.values(story.first.node.cut().heights));
    await guardedBy(PAYER);
    await story.bury();
    const openSigner = () => story.fileSigner({ key: { ...PAYER, account: from.account } });
    await held(story, { terms: { from }, openSigner });
    await story.pass(60);
    await story.rewind(height);
    await story.faults({ holdTransactions: false });
    await guardedBy(keyPair(9));
    await story.mine(2 * DEPTH + 2);
    await undoLost(story);
    await story.bury();
    expect(await story.states()).toEqual(['1 open sent']);
    await story.pass(PAST_TIME_S);
    await story.bury();
    await story.are(['1 dead']);
    await story.paused('guard');
    expect(await story.shown()).toMatchObject({ held: 0 });
    await story.expectPaid({ 1: '0' }, { ...PAYER, account: from.account });
  });
});

describe('gas', () => {
  it('22, PA21: too little of it for anything fails one line and two, holds neither, and pauses nothing; with enough both are paid', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay({ terms: { gasLimit: 10 } });
    await story.owe({ 1: '5', 2: '7' });
    await until('both are left out', async () => (await notesOf(story)).length === 2);
    await payer.turn();
    expect(await story.states()).toEqual([]);
    expect(await story.shown()).toMatchObject({ pauses: [], held: 0, lines: 2 });
    await payer[Symbol.asyncDispose]();
    story.pay();
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });

  it('22: too little of it for all pauses, whatever command the words of nodes name; with enough all are paid', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay({ terms: { gasLimit: 10 } });
    await story.owe({ 1: '5', 2: '7', 3: '9' });
    await story.paused('dryRuns');
    expect(await story.shown()).toMatchObject({ held: 0, lines: 3 });
    await payer[Symbol.asyncDispose]();
    await story.orders.resumePayments({ note: 'a test' }, 'alice');
    story.pay();
    await story.mineUntil('1 paid', '1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7', 3: '9' });
  });

  it('23: at a price below the least that nodes take: the next attempt pays what they ask for', async () => {
    await using story = await PayerStory.open();
    story.pay({ terms: { gasPrice: 1_000n } });
    await story.owe({ 1: '5' });
    await story.are(['1 open sent']);
    await until('it was sent', () => story.sent.length > 0);
    await story.bury();
    expect(await story.states()).toEqual(['1 open sent']);
    await story.pass(PAST_TIME_S);
    await story.mineUntil('1 dead', '2 paid');
    const { rows } = await story.pool.query<{ cmd: string }>('SELECT cmd FROM chain_transaction ORDER BY id');
    expect(rows.map(({ cmd }) => JSON.parse(cmd).meta.gasPrice)).toEqual([1e-9, 1e-8]);
    expect(await story.shown()).toMatchObject({ pauses: [], held: 0 });
    await story.expectPaid({ 1: '5' });
  });
});
