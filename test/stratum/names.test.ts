/** What names of peers come to: refused where they enter, and counted under none before they were authorized. */
import { describe, expect, it } from 'vitest';
import { mine, startTestBridge, type TestBridge } from '../helpers/stories/stratum-bridge.js';

const EASY = { difficulty: 1n };
const HARD = { difficulty: 1n << 100n };
const LONG = `${'鉱'.repeat(512)}.${'業'.repeat(512)}`;

async function submitOf(bridge: TestBridge, login: string, subscribed: boolean): Promise<unknown> {
  const job = bridge.offer(HARD);
  const rig = await bridge.connect('tcp');
  if (subscribed) await rig.request(1, 'mining.subscribe', ['a', null]);
  const { error } = await rig.request(2, 'mining.submit', [login, job.id, '00']);
  return error?.[0];
}

describe('names of peers', () => {
  it.each([
    ['R1', LONG, 'at most 128 bytes'],
    ['R1', `a.${'x'.repeat(65)}`, 'at most 64 bytes'],
    ['B8', 'a\0b.r', 'control character'],
    ['R18', 'a.\u001b]0;x\u0007', 'control character'],
    ['A10', 'a\ud800.r', 'half of a character'],
  ])(
    '%s: are refused with code 24 and a sentence, and the session may try again (%j)',
    async (_id, login, words) => {
      await using bridge = await startTestBridge({ limits: { loginCharacters: 4096 } });
      const rig = await bridge.connect('tcp');
      const { result, error } = await rig.request(1, 'mining.authorize', [login, 'x']);
      expect([result, error?.[0]]).toEqual([false, 24]);
      expect(error?.[1]).toContain(words);
      expect((await rig.request(2, 'mining.authorize', ['a.r', 'x'])).result).toBe(true);
    },
  );

  it.each([
    ['R1', 'who has not subscribed', LONG, false, 25],
    ['R2', 'who has not authorized', 'made-up.r', true, 24],
  ])('%s: count a submit without a name of one %s', async (_id, _who, login, subscribed, code) => {
    await using bridge = await startTestBridge();
    expect(await submitOf(bridge, login, subscribed)).toBe(code);
    expect(bridge.submits).toMatchObject([{ account: '', rig: '' }]);
    expect(JSON.stringify(bridge.submits)).not.toContain('鉱鉱');
  });

  it('R2: leave a solution of one who has not authorized without a finder', async () => {
    await using bridge = await startTestBridge();
    const job = bridge.offer(EASY);
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.subscribe', ['a', null]);
    await rig.request(2, 'mining.submit', ['stranger.r', job.id, mine(job, 0 as never, job.blockTarget)]);
    expect(bridge.solutions).toMatchObject([{ account: '', rig: '' }]);
  });
});
