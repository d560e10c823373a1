/** What is sent again: not what stands beside an attempt that pays after all. */
import { expect, it } from 'vitest';
import type { LiveTransaction } from '../../../../src/bridge/payouts/payer-books.js';
import type { ChainSight, CheckedBlock, FoundCommand } from '../../../../src/payouts/evidence/sight.js';
import { follow } from '../../../../src/payouts/payer/follow.js';
import { accountOf, coins } from '../../../helpers/payouts/story.js';
import { PAYER } from '../../../helpers/payouts/world.js';

const sent = {
  ...{ id: '2', paymentId: '1', payout: 'a', account: accountOf(1), amount: coins('5'), chainId: 0 },
  ...{ attempt: 2, cmd: 'second', requestKey: 'second', creationTimeS: 0, ttlS: 900, gasLimit: 1000 },
  ...{ gasPrice: 1n, state: 'sent', birth: { height: 1, hash: 'h1' }, sigs: ['00'], partial: [] },
  ...{ deadKeys: ['first'], isAsked: true, isRejected: false, isOfFormer: false, included: undefined },
  sentAtMs: 0,
} as const satisfies LiveTransaction;

function sightWith(commands: readonly FoundCommand[]): ChainSight {
  const blocks = [1, 2].map(
    (height): CheckedBlock => ({
      ...{ height, hash: `h${height}`, parent: `h${height - 1}`, timeS: height, weight: BigInt(height) },
      ...{ commands: height === 2 ? commands : [], debits: [], credits: [], contracts: [], unreadable: [] },
    }),
  );
  return { chainId: 0, blocks, head: blocks[1], headAgeS: 0, troubles: [], nodes: [], left: [] };
}

const followed = (commands: readonly FoundCommand[]) =>
  follow([sent], sightWith(commands), { depth: 3, final: 6 }, { from: PAYER.account }).waiting;
const first = { cmd: 'first', requestKey: 'first', gasPaid: 1n, transfers: [], why: '' } as const;

it('sends an attempt again while none of those before it is on the chain', () => {
  expect(followed([])).toEqual([sent]);
  expect(followed([{ ...first, status: 'failure' }])).toEqual([sent]);
});

it('does not send it beside one that pays, though that was shown to be dead', () => {
  expect(followed([{ ...first, status: 'success' }])).toEqual([]);
});
