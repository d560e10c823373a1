/** One pays, of all bridges on a ledger; and whoever takes that over waits until blocks have told what was under way. */
import { describe, expect, it } from 'vitest';
import { OTHER_PAYER, PAST_TIME_S, PayerStory } from '../../helpers/payouts/payer-story.js';
import { DEPTH } from '../../helpers/payouts/payer-terms.js';
import { until } from '../../helpers/until.js';

const isTaken = (story: PayerStory, place = 'here') =>
  until('the role is taken', async () => {
    const { holder, isPaying } = await story.shown();
    return isPaying && holder === place;
  });

describe('a payer that takes the role', () => {
  it('of a ledger made by this very start does not wait', async () => {
    await using story = await PayerStory.open();
    story.pay();
    await isTaken(story);
    expect(await story.shown()).toMatchObject({ isReady: true, waitsUntil: null });
  });

  it('of another start waits until the cursor of every chain is past, sends again meanwhile, and pays nothing twice', async () => {
    await using story = await PayerStory.open();
    const first = story.pay();
    await story.faults({ dropTransactions: true });
    await story.owe({ 1: '5' });
    await story.are(['1 open sent']);
    await until('the node was sent it', () => story.sent.length > 0);
    await first[Symbol.asyncDispose]();
    expect(await story.shown()).toMatchObject({ holder: null, isPaying: false });
    await story.faults({ dropTransactions: false });
    const sent = story.sent.length;
    const second = story.pay({ isNewLedger: false });
    await isTaken(story);
    await until('it is sent again', () => story.sent.length > sent);
    await story.owe({ 2: '7' });
    await story.mineUntil('1 paid');
    await second.turn();
    expect(await story.shown()).toMatchObject({ isReady: false, isAsked: true, lines: 0 });
    await story.pass(PAST_TIME_S);
    await story.mine(DEPTH);
    // All chains but the last are past it.
    await story.first.node.orders.mine({ chains: [0, 1] });
    await story.followed();
    await second.turn();
    expect(await story.shown()).toMatchObject({ isReady: false, lines: 0 });
    await story.first.node.orders.mine({ chains: [2] });
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });

  it('lets another one wait, and is stopped in the middle of a turn when that has taken it', async () => {
    await using story = await PayerStory.open();
    const first = story.pay();
    await isTaken(story);
    const second = story.pay({ isNewLedger: false, terms: { place: 'there' } });
    await second.turn();
    expect(await story.shown()).toMatchObject({ holder: 'here', isReady: true });
    // The dry run of what it has planned takes a while, and it says nothing meanwhile.
    await story.control(story.first.node, 'PUT', 'faults', { delayMs: 1_500, onlyPath: 'preflight=true' });
    const asked = story.first.tap.requests.length;
    await story.owe({ 1: '5' });
    await until('it asks', () =>
      story.first.tap.requests.slice(asked).some((path) => path.includes('preflight=true')),
    );
    await until('the other one has the role', async () => {
      await story.pass(31);
      return (await story.shown()).holder === 'there';
    });
    await story.control(story.first.node, 'DELETE', 'faults');
    await first.turn();
    await first.turn();
    expect(await story.shown()).toMatchObject({ holder: 'there', isReady: false });
    expect(await story.states()).toEqual([]);
    await first[Symbol.asyncDispose]();
    await story.waitIsOver();
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' });
  });

  it('loses it where the ledger went back, and waits when it has taken it anew', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay();
    await isTaken(story);
    // As in a standby that lacks the last rows: an older one.
    await story.pool.query('UPDATE payer SET token = gen_random_uuid()');
    await story.owe({ 1: '5' });
    await payer.turn();
    await payer.turn();
    expect(await story.states()).toEqual([]);
    await story.pass(31);
    await until('it has the role again, and waits', async () => {
      const { isPaying, isReady } = await story.shown();
      return isPaying && !isReady;
    });
    await story.waitIsOver();
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' });
  });
});

describe('a command of this ledger that its books do not know', () => {
  it('is booked, during the wait without more, and pauses after it', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay({ isNewLedger: false });
    await isTaken(story);
    await story.give({ 1: '5', 2: '7' });
    const lost = await story.copyPays('4711', 1, '5');
    await story.mineUntil('1 paid');
    expect(await story.transactions()).toMatchObject([
      { line: '4711', requestKey: lost, amount: '5.000000000000' },
    ]);
    await payer.turn();
    expect(await story.pauses()).toEqual([]);
    await story.waitIsOver();
    expect(await story.pauses()).toEqual([]);
    await story.owe({});
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
    const other = await story.copyPays('4712', 1, '3');
    await story.mineUntil('1 paid', '1 paid', '1 paid');
    await story.paused('anotherPayer');
    expect((await story.shown()).pauses).toMatchObject([{ says: expect.stringContaining(other) }]);
    await story.owe({ 1: '4', 2: '2' });
    await payer.turn();
    await story.are(['1 paid', '1 paid', '1 paid']);
    await story.expectPaid({ 1: '8', 2: '7' });
    await story.orders.resumePayments({ note: 'the copy is stopped' }, 'a test');
    await story.mineUntil('1 paid', '1 paid', '1 paid', '1 paid', '1 paid');
    // What was paid twice comes off.
    await story.expectPaid({ 1: '9', 2: '9' });
  });

  it('PA18: is booked as a further attempt where its line has one of that number, and what waits is paid', async () => {
    await using story = await PayerStory.open();
    await story.faults({ dropTransactions: true });
    const first = story.pay();
    await story.owe({ 1: '5' });
    const [{ line } = { line: '' }] = await story.are(['1 open sent']);
    await first[Symbol.asyncDispose]();
    await story.pass(PAST_TIME_S);
    await story.bury();
    await story.are(['1 dead']);
    await story.faults({ dropTransactions: false });
    story.pay({ isNewLedger: false });
    await isTaken(story);
    await story.copyPays(line, 1, '5');
    await story.mineUntil('1 dead', '2 paid');
    await story.owe({ 2: '7' });
    await story.waitIsOver();
    await story.mineUntil('1 dead', '2 paid', '1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5', 2: '7' });
  });

  it('is nobody’s where it moves coins of somebody else and who pays is ready: anybody can write its id', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay();
    await isTaken(story);
    await story.copyPays('4711', 1, '5', OTHER_PAYER);
    await story.bury();
    await story.bury();
    await payer.turn();
    expect(await story.states()).toEqual([]);
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '0' });
  });

  it('is booked where it moves coins of somebody else and who pays is silent, which pauses nothing when he is back', async () => {
    await using story = await PayerStory.open();
    let isSilent = false;
    let isHeld = false;
    const payer = story.pay({
      before: async () => {
        isHeld = isSilent;
        await until('it is heard again', () => !isSilent);
      },
    });
    await isTaken(story);
    await payer.turn();
    isSilent = true;
    // What it had begun would be heard after the time that passes.
    await until('it says nothing any more', () => isHeld);
    await story.pass(31);
    await story.give({ 1: '5' });
    await story.copyPays('4711', 1, '5', OTHER_PAYER);
    await story.mineUntil('1 paid');
    isSilent = false;
    await payer.turn();
    expect(await story.shown()).toMatchObject({ isPaying: true, isReady: true, pauses: [] });
    await story.expectPaid({ 1: '5' }, OTHER_PAYER);
  });
});
