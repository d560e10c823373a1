/** Blocks that come and go: a transaction ends by the block that has the depth on top, and by no other. */
import { describe, expect, it } from 'vitest';
import { payerOfKey } from '../../../src/chain/transfers/accounts.js';
import {
  accountOf,
  held,
  OTHER_PAYER,
  PAST_TIME_S,
  PayerStory,
  undoLost,
} from '../../helpers/payouts/payer-story.js';
import { DEPTH, PAYER } from '../../helpers/payouts/payer-terms.js';
import { pactApi, transfer } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { until } from '../../helpers/until.js';

const NOTE = { note: 'a test' };

/** Coins of that chain go elsewhere, before all that waits there, or half a minute later never. */
function takeCoins(story: PayerStory, chainId: number): Promise<void> {
  const creationTime = Math.floor(story.nowMs / 1_000) - 30;
  const meta = { gasPrice: 1e-7, gasLimit: 2_500, ttl: 60, creationTime };
  return story.send(transfer(PAYER, keyPair(9), '998.0', { chainId, meta }), chainId);
}

/** Of a transaction, in the block that a node has now. */
async function resultOf(
  story: PayerStory,
  { chainId, requestKey }: { chainId: number; requestKey: string },
): Promise<string | undefined> {
  const found = await pactApi(story.first.node, chainId).poll([requestKey]);
  return found[requestKey]?.result.status;
}

const heightOf = ({ first }: PayerStory): number => Math.min(...Object.values(first.node.cut().heights));

function setLinks(story: PayerStory, connected: boolean): void {
  for (const { node } of story.nodes) node.setPeerConnected(connected);
}

describe('a transaction whose block is orphaned', () => {
  it('6: and that the node refuses then as one that "already exists on chain" is not paid: when its time is over it is paid by another one', async () => {
    await using story = await PayerStory.open();
    const { payer } = await held(story);
    const height = heightOf(story);
    await story.faults({ holdTransactions: false });
    await story.mine(1);
    await story.rewind(height);
    await story.control(story.first.node, 'DELETE', 'mempool');
    await payer[Symbol.asyncDispose]();
    let refusals = 0;
    story.first.tap.set({
      onAnswer: (text) => {
        if (text.includes('already exists on chain')) refusals++;
        return text;
      },
    });
    story.pay();
    await until('the node refuses it', () => refusals > 0);
    await story.bury();
    expect(await story.states()).toEqual(['1 open sent']);
    await story.pass(PAST_TIME_S);
    await story.mineUntil('1 dead', '2 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' });
  });

  it('13: where it succeeded, and fails in the block that counts, has failed: it is due again, and paid once', async () => {
    await using story = await PayerStory.open();
    const { payer, transaction } = await held(story);
    const height = heightOf(story);
    await story.faults({ holdTransactions: false });
    await story.mine(DEPTH);
    expect(await resultOf(story, transaction)).toBe('success');
    await payer.turn();
    expect(await story.states()).toEqual(['1 open sent']);
    await story.faults({ holdTransactions: true });
    await story.rewind(height);
    await takeCoins(story, transaction.chainId);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 failed');
    await story.paused('foreignDebit');
    await story.expectPaid({ 1: '0' });
    await story.orders.resumePayments(NOTE, 'alice');
    await payer.turn();
    await story.owe({});
    await story.mineUntil('1 failed', '1 paid');
    await story.expectPaid({ 1: '5' });
  });

  it('13: where it failed, and succeeds in the block that counts, is paid', async () => {
    await using story = await PayerStory.open();
    const { payer, transaction } = await held(story);
    const height = heightOf(story);
    await takeCoins(story, transaction.chainId);
    await story.faults({ holdTransactions: false });
    await story.mine(DEPTH);
    expect(await resultOf(story, transaction)).toBe('failure');
    await payer.turn();
    expect(await story.states()).toEqual(['1 open sent']);
    await story.pass(60);
    await story.rewind(height);
    await story.mineUntil('1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' });
  });

  it('14: with the one that brought the coins for it, is dead when its time is over, and is paid when there are coins again', async () => {
    await using story = await PayerStory.open();
    const poor = keyPair(7);
    const fund = () => {
      const creationTime = Math.floor(story.nowMs / 1_000) - 30;
      const meta = { gasLimit: 2_500, ttl: 60, creationTime };
      return story.send(transfer(OTHER_PAYER, poor, '10.0', { meta }));
    };
    const height = heightOf(story);
    await fund();
    await story.bury();
    const openSigner = () => story.fileSigner({ key: poor });
    const { payer, transaction } = await held(story, { terms: { from: payerOfKey(poor.key) }, openSigner });
    await story.pass(60);
    await story.rewind(height);
    await story.mine(2 * DEPTH + 2);
    await undoLost(story);
    await story.faults({ holdTransactions: false });
    await story.bury();
    expect(await story.transactions()).toMatchObject([{ ...transaction, state: 'open' }]);
    await story.pass(PAST_TIME_S);
    await story.bury();
    await story.are(['1 dead']);
    await payer.turn();
    await story.bury();
    expect(await story.states()).toEqual(['1 dead']);
    await fund();
    await story.mineUntil('1 dead', '2 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' }, poor);
  });
});

describe('nodes that have other blocks', () => {
  /** From now on, and what is sent reaches the first one alone. */
  async function part(story: PayerStory) {
    setLinks(story, false);
    const [one, other] = [story.first, story.nodes[1] ?? story.first];
    await story.control(other.node, 'PUT', 'faults', { dropTransactions: true });
    const payer = story.pay();
    await story.owe({ 1: '5' });
    await story.arrived();
    return { one, other, payer };
  }

  it('15: a fork of less work in which its time is over without it changes nothing', async () => {
    await using story = await PayerStory.open({ nodes: 2 });
    const { one, other, payer } = await part(story);
    await story.stopFollowing();
    await one.node.orders.mine({ count: 2 * DEPTH + 3, withNeighbours: true });
    await story.pass(PAST_TIME_S);
    await other.node.orders.mine({ count: DEPTH + 2, withNeighbours: true });
    story.follow();
    await story.are(['1 paid']);
    await payer.turn();
    await story.owe({});
    await payer.turn();
    expect(await story.states()).toEqual(['1 paid']);
    await story.expectPaid({ 1: '5' });
  });

  it.each([
    ['has it', 0, ['1 paid']],
    ['lacks it and is past its time', 1, ['1 dead', '2 paid']],
  ])(
    '17: at the depth, where two are needed, end nothing until both have one chain, which %s',
    async (_, heavier, states) => {
      await using story = await PayerStory.open({ nodes: 2, needed: 2 });
      const { one, other, payer } = await part(story);
      await one.node.orders.mine({ count: DEPTH + 2, withNeighbours: true });
      await story.pass(PAST_TIME_S);
      await other.node.orders.mine({ count: DEPTH + 3, withNeighbours: true });
      await until('chains stand still', async () => {
        const { rows } = await story.pool.query("SELECT FROM chain WHERE trouble LIKE '2 nodes must have%'");
        return rows.length === 3;
      });
      await payer.turn();
      expect(await story.states()).toEqual(['1 open sent']);
      await story.nodes[heavier]?.node.orders.mine({ count: 2, withNeighbours: true });
      await story.faults({ dropTransactions: false });
      setLinks(story, true);
      await story.mineUntil(...states);
      expect(await story.pauses()).toEqual([]);
      await story.expectPaid({ 1: '5' });
    },
  );
});

describe('16: outputs that a node alters', () => {
  it.each([
    ['that it failed', (output: string) => output.replace('"success"', '"failure"')],
    ['that another got it', (output: string) => output.replaceAll(accountOf(1), accountOf(2))],
  ])('%s: are not believed, and its chain stands still until they are as they were', async (_, alter) => {
    await using story = await PayerStory.open();
    const { transaction } = await held(story);
    const { requestKey, chainId } = transaction;
    let altered = 0;
    story.first.tap.set({
      onAnswer: (text, path) =>
        !path.includes('/payload/')
          ? text
          : text.replace(/[\w-]{200,}/g, (part) => {
              const output = Buffer.from(part, 'base64url').toString();
              if (!output.includes(`"reqKey":"${requestKey}"`)) return part;
              altered++;
              return Buffer.from(alter(output)).toString('base64url');
            }),
    });
    await story.faults({ holdTransactions: false });
    await story.mine(DEPTH + 1);
    await until('its chain stands still', async () => {
      const { rows } = await story.pool.query("SELECT FROM chain WHERE id = $1 AND trouble <> ''", [chainId]);
      return rows.length === 1;
    });
    expect(altered).toBeGreaterThan(0);
    expect(await story.states()).toEqual(['1 open sent']);
    story.first.tap.set({ onAnswer: (text) => text });
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5', 2: '0' });
  });
});
