/** 1: a paying process that is killed before and after each commit and each effect; another one goes on, and nobody is paid more than is owed. */
import { expect, it } from 'vitest';
import { formatAmount } from '../../../src/core/money/amount.js';
import { askForPayout } from '../../../src/ledger/payer/orders.js';
import { killed } from '../../helpers/payouts/killed-payer.js';
import { movedOn } from '../../helpers/payouts/oracle.js';
import { accountOf, PayerStory } from '../../helpers/payouts/payer-story.js';
import { coins, PAYER } from '../../helpers/payouts/payer-terms.js';
import type { Step } from '../../helpers/payouts/paying-process.js';
import { until } from '../../helpers/until.js';

const OWED = { 1: '5', 2: '4' };

const STEPS: readonly Step[] = [
  ...(['planned', 'built', 'asked', 'the signer signs', 'signed'] as const),
  ...(['sending', 'the node is sent it', 'found'] as const),
];
const POINTS = STEPS.flatMap((step) => [['before', step] as const, ['after', step] as const]);

async function expectNobodyOverpaid(story: PayerStory): Promise<void> {
  const moved = await movedOn(story.first.node);
  for (const [number, owed] of Object.entries(OWED)) {
    const to = accountOf(Number(number));
    const got = moved
      .filter((one) => one.from === PAYER.account && one.to === to)
      .reduce((sum, { amount }) => sum + amount, 0n);
    if (got > coins(owed)) expect.fail(`${to} got ${formatAmount(got)}, and was owed ${owed}`);
  }
}

it.each(POINTS)('1: killed %s: %s', async (when, step) => {
  await using story = await PayerStory.open();
  const keyFile = await story.keyFile();
  await story.owe(OWED);
  // What the process reads of blocks nobody else is to read.
  await story.stopFollowing();
  await killed(story, { keyFile, step, when });
  await expectNobodyOverpaid(story);
  story.follow();
  // It is silent from now on.
  await story.pass(31);
  const next = story.pay({ isNewLedger: false, openSigner: () => story.fileSigner({ keyFile }) });
  await until('the role is taken', async () => (await story.shown()).isPaying);
  await story.waitIsOver();
  await askForPayout(story.pool);
  await until('all is paid', async () => {
    await story.mine();
    await story.followed();
    await next.turn();
    await expectNobodyOverpaid(story);
    const { open, lines, isAsked } = await story.shown();
    return open === 0 && lines === 0 && !isAsked;
  });
  await story.bury();
  expect(await story.pauses()).toEqual([]);
  await story.expectPaid(OWED);
});
