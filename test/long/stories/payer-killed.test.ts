/** 1: a paying process that is killed before and after each commit and each effect; another one goes on, and nobody is paid more than is owed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { formatAmount } from '../../../src/core/money/amount.js';
import { askForPayout } from '../../../src/ledger/payer/orders.js';
import { movedOn } from '../../helpers/payouts/oracle.js';
import { accountOf, PayerStory } from '../../helpers/payouts/payer-story.js';
import { coins, PAYER } from '../../helpers/payouts/payer-terms.js';
import type { PayingStart, Step } from '../../helpers/payouts/paying-process.js';
import { until } from '../../helpers/until.js';

const PROCESS = fileURLToPath(
  new URL('../../../dist/test/helpers/payouts/paying-process.js', import.meta.url),
);
const OWED = { 1: '5', 2: '4' };

const STEPS: readonly Step[] = [
  ...(['planned', 'built', 'asked', 'the signer signs', 'signed'] as const),
  ...(['sending', 'the node is sent it', 'found'] as const),
];
const POINTS = STEPS.flatMap((step) => [['before', step] as const, ['after', step] as const]);

/** Blocks are made until it is dead. */
async function killed(
  story: PayerStory,
  start: Pick<PayingStart, 'step' | 'when' | 'keyFile'>,
): Promise<void> {
  const { connectionString, first, nowMs } = story;
  const given: PayingStart = {
    ...{ ...start, connectionString, nodeUrls: [first.tap.url], needed: 1, isNewLedger: true },
    ...{ aheadMs: nowMs - Date.now(), everyMs: 20 },
  };
  const child = spawn(process.execPath, [PROCESS, JSON.stringify(given)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    await until('it is dead', async () => {
      await story.mine();
      return child.exitCode !== null || child.signalCode !== null;
    });
  } finally {
    child.kill('SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
}

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
