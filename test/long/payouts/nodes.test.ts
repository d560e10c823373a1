/** One node of several that hangs, or that says what the others do not. */
import { describe, expect, it } from 'vitest';
import { PAST_TIME_S, PayerStory } from '../../helpers/payouts/payer-story.js';
import { DEPTH } from '../../helpers/payouts/payer-terms.js';
import { until } from '../../helpers/until.js';

/** Of that node, of whatever is sent to it: it asks for more gas. */
function wantsPrice(story: PayerStory, node: number, price: string): void {
  const words = `Transaction gas price (1.0e-8) is below minimum gas price (${price})`;
  const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: ${words.length}\r\n\r\n`;
  story.nodes[node]?.tap.set({ onAnswer: (text, path) => (path.endsWith('/send') ? head + words : text) });
}

const pricesOf = async (story: PayerStory): Promise<number[]> => {
  const { rows } = await story.pool.query<{ cmd: string }>('SELECT cmd FROM chain_transaction ORDER BY id');
  return rows.map(({ cmd }) => JSON.parse(cmd).meta.gasPrice);
};

describe('a node', () => {
  it('5, 7: of three that are all sent the same bytes is not believed that it refuses them: another one has them in a block', async () => {
    await using story = await PayerStory.open({ nodes: 3 });
    wantsPrice(story, 0, '1.0e-8');
    for (const { node } of story.nodes.slice(0, 2))
      await story.control(node, 'PUT', 'faults', { dropTransactions: true });
    const payer = story.pay();
    await story.owe({ 1: '5' });
    const last = story.nodes[2] ?? story.first;
    const [only] = await story.are(['1 open sent']);
    const { requestKey, chainId } = only ?? { requestKey: '', chainId: 0 };
    await until('the last node has it', async () => {
      const [isThere] = await last.client.chain(chainId).mempool.member([requestKey]);
      return isThere;
    });
    await until('all were sent it', () => story.sent.length >= 3);
    expect(new Set(story.sent)).toEqual(new Set([requestKey]));
    await payer.turn();
    await story.mine(DEPTH + 1, last);
    await story.are(['1 paid']);
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' });
  });

  it('PA10: that hangs where contracts run holds nobody up: it is asked once in a turn, and the other one is believed', async () => {
    await using story = await PayerStory.open({ nodes: 2 });
    const { node, tap } = story.nodes[1] ?? story.first;
    await story.control(node, 'PUT', 'faults', { stall: true, onlyPath: '/pact/' });
    const asked = tap.requests.length;
    const payer = story.pay();
    const numbers = Array.from({ length: 16 }, (_, i) => i);
    await story.owe(Object.fromEntries(numbers.map((number) => [number, '5'])));
    await story.mineUntil(...numbers.map(() => '1 paid'));
    const hung = tap.requests.slice(asked).filter((path) => path.includes('/pact/')).length;
    expect(hung).toBeGreaterThan(0);
    expect(hung).toBeLessThanOrEqual(8 * payer.turns);
    await story.expectPaid(Object.fromEntries(numbers.map((number) => [number, '5'])));
  });

  it('is asked beside others without Node.js taking the questions under way for a leak', async () => {
    await using story = await PayerStory.open({ nodes: 3 });
    const warnings: Error[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on('warning', warned);
    story.pay();
    const numbers = Array.from({ length: 8 }, (_, i) => i);
    await story.owe(Object.fromEntries(numbers.map((number) => [number, '5'])));
    await story.mineUntil(...numbers.map(() => '1 paid'));
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  it('PA14: of two that alone asks for a gas price pauses nothing, and the price stays', async () => {
    await using story = await PayerStory.open({ nodes: 2 });
    wantsPrice(story, 1, '1.0e-5');
    const payer = story.pay();
    await story.owe({ 1: '5' });
    await story.mineUntil('1 paid');
    await payer.turn();
    expect(await story.pauses()).toEqual([]);
    await story.owe({ 2: '5' });
    await story.mineUntil('1 paid', '1 paid');
    expect(await pricesOf(story)).toEqual([1e-8, 1e-8]);
    await story.expectPaid({ 1: '5', 2: '5' });
  });

  it('PA14: and where all ask for it: the next attempts pay it; more than is allowed pauses', async () => {
    await using story = await PayerStory.open();
    await story.faults({ holdTransactions: true });
    wantsPrice(story, 0, '5.0e-8');
    const payer = story.pay();
    await story.owe({ 1: '5' });
    await until('it was sent', () => story.sent.length > 0);
    await payer.turn();
    expect(await story.pauses()).toEqual([]);
    await story.pass(PAST_TIME_S);
    await story.bury();
    await story.are(['1 dead', '2 open sent']);
    expect(await pricesOf(story)).toEqual([1e-8, 5e-8]);
    wantsPrice(story, 0, '1.0e-5');
    await story.owe({ 2: '7' });
    await story.paused('gasPrice');
    expect(await story.shown()).toMatchObject({ held: 0 });
  });
});

it('PA6: of two that shows an old head keeps nothing from being paid', async () => {
  await using story = await PayerStory.open({ nodes: 2 });
  let old: string | undefined;
  story.nodes[1]?.tap.set({
    onAnswer: (text, path) => {
      if (!path.includes('/cut')) return text;
      old ??= text;
      return old;
    },
  });
  await until('it has shown it', () => old !== undefined);
  await story.pass(700);
  await story.bury();
  story.pay();
  await story.owe({ 1: '5' });
  await story.mineUntil('1 paid');
  await story.expectPaid({ 1: '5' });
});

it('on chains that stand still nothing is planned or built until they go on', async () => {
  await using story = await PayerStory.open();
  story.pay();
  await story.pass(700);
  await story.owe({ 1: '5' });
  await until('it says why it waits', async () => (await story.shown()).waitingWhy !== '');
  expect(await story.states()).toEqual([]);
  expect(await story.shown()).toMatchObject({
    pauses: [],
    waitingWhy: expect.stringMatching(
      /^1 accounts wait: .*; chain 0 stands still: its newest block is of 20/,
    ),
  });
  await story.bury();
  // Nobody asks again.
  await story.mineUntil('1 paid');
  await story.expectPaid({ 1: '5' });
});
