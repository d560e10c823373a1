/** What nodes answer proves nothing: what a block at the depth holds counts, and what was sent is sent again until then. */
import { describe, expect, it } from 'vitest';
import { PayerStory } from '../../helpers/payouts/payer-story.js';

const SEND = /\/send$/;

/** Of the first node, of what is sent to it. */
function answersOfSend(story: PayerStory, answer: (text: string) => string | undefined): void {
  story.first.tap.set({ onAnswer: (text, path) => (SEND.test(path) ? answer(text) : text) });
}

const otherStatus = (status: string) => (text: string) =>
  text.replace(/^HTTP\/1\.1 200 OK/, `HTTP/1.1 ${status}`);

describe('a payment that is sent', () => {
  it.each([
    ['2: the answer is lost', () => undefined],
    ['3: the answer is 400', otherStatus('400 Bad Request')],
    ['3: the answer is 500', otherStatus('500 Internal Server Error')],
  ])('%s, though the node took it: it is paid once', async (_, answer) => {
    await using story = await PayerStory.open();
    answersOfSend(story, answer);
    const payer = story.pay();
    await story.owe({ 1: '5' });
    await story.arrived();
    await payer.turn();
    expect(await story.states()).toEqual(['1 open sent']);
    const [paid] = await story.mineUntil('1 paid');
    await story.owe({});
    await payer.turn();
    await story.bury();
    expect(await story.states()).toEqual(['1 paid']);
    expect(new Set(story.sent)).toEqual(new Set([paid?.requestKey]));
    await story.expectPaid({ 1: '5' });
  });
});
