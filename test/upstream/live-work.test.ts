/** When work is dead, so that rigs are let go, and when it lives again: the rule, and real nodes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isKnownPublic } from '../../src/core/work/development.js';
import { AWAITED, lookedAt, type WorkLook } from '../../src/upstream/live-work.js';
import type { TapFaults } from '../helpers/stories/tap.js';
import { startStory } from '../helpers/stories/upstream-story.js';
import { until } from '../helpers/until.js';

const SECOND_MS = 1_000;
const RULES = { deadAfterMs: 120_000, aliveAgainMs: 15_000 };
/** As nodes are looked at. */
const LOOK_SECONDS = 5;

type Given = Partial<Omit<WorkLook, 'atMs'>>;

/** Looks each five seconds; when work died and when it lived again, in seconds. */
function changes(seconds: number, at: (second: number) => Given): string[] {
  const seen: string[] = [];
  let life = AWAITED;
  for (let second = 0; second <= seconds; second += LOOK_SECONDS) {
    const look = { atMs: second * SECOND_MS, isGiven: true, newestBlockAtMs: undefined, ...at(second) };
    const next = lookedAt(life, look, RULES);
    if ((next.dead === undefined) !== (life.dead === undefined))
      seen.push(`${next.dead ? 'dead' : 'alive'} ${second}`);
    life = next;
  }
  return seen;
}

describe('work', () => {
  it('lives while a node gives it, though it is the same for hours', () => {
    expect(changes(7_200, () => ({}))).toEqual(['alive 0']);
  });

  it('is dead when nobody has given any for two minutes, and lives again after 15 seconds', () => {
    expect(changes(600, (second) => ({ isGiven: second <= 100 || second >= 400 }))).toEqual([
      'alive 0',
      'dead 220',
      'alive 415',
    ]);
  });

  it('is waited for at the start, and lives as soon as it is given', () => {
    expect(AWAITED.dead).toMatch(/^no node has given work yet/);
    expect(changes(7_200, () => ({ isGiven: false }))).toEqual([]);
    expect(changes(7_200, (second) => ({ isGiven: second >= 600 }))).toEqual(['alive 600']);
    // A node that catches up gives work that nothing will come of.
    const catchesUp = (second: number) => ({ newestBlockAtMs: second < 300 ? -200_000 : second * SECOND_MS });
    expect(changes(7_200, catchesUp)).toEqual(['alive 315']);
  });

  it('makes nobody flap by a node that answers for five seconds in each minute, or in each five', () => {
    expect(changes(7_200, (second) => ({ isGiven: second % 60 < LOOK_SECONDS }))).toEqual(['alive 0']);
    const rarely = changes(7_200, (second) => ({ isGiven: second % 300 < LOOK_SECONDS }));
    expect(rarely).toEqual(['alive 0', 'dead 120']);
  });

  it('is dead on top of old blocks, where newer ones ought to be', () => {
    const newest = (second: number): number => (second < 200 || second >= 900 ? second - 5 : 200);
    expect(changes(1_200, (second) => ({ newestBlockAtMs: newest(second) * SECOND_MS }))).toEqual([
      'alive 0',
      'dead 320',
      'alive 915',
    ]);
  });

  it('says why', () => {
    const life = { givenAtMs: 0, aliveSinceMs: undefined, dead: undefined };
    const look = { atMs: 130_000, isGiven: false, newestBlockAtMs: undefined };
    expect(lookedAt(life, look, RULES).dead).toMatch(/^no node has given work .* for 130 s: see/);
    const old = { ...look, isGiven: true, newestBlockAtMs: 0 };
    expect(lookedAt(life, old, RULES).dead).toMatch(/^the newest block that nodes have is 130 s old: /);
  });
});

it.each([
  ['mainnet01', 'auto', true],
  ['testnet04', 'auto', true],
  ['ournet', 'auto', false],
  ['development', 'auto', false],
  ['ournet', 'no', true],
  ['mainnet01', 'yes', false],
] as const)(
  'blocks of %s come whatever these rigs do, where node.development is %s: %s',
  (name, said, is) => {
    expect(isKnownPublic(name, said)).toBe(is);
  },
);

const FAST = { probeMs: 200, aliveAgainMs: 500 };
const DEAD_MS = 2_000;

describe('of a real node', () => {
  it('lives on a network whose blocks come when somebody makes them', async () => {
    await using story = await startStory({ timings: FAST, upstream: { deadAfterMs: DEAD_MS } });
    await sleep(2 * DEAD_MS);
    expect(story.upstream.whyReleased).toBeUndefined();
    await story.isWell();
  });

  it('is dead when it gives none, and when that is not on top of its own chains', async () => {
    await using story = await startStory({ timings: FAST, upstream: { deadAfterMs: DEAD_MS } });
    story.tap.set({ refuses: true });
    await until('it is dead', () => story.upstream.whyReleased?.startsWith('no node has given work'));
    story.tap.heal();
    await until('it lives', () => story.upstream.whyReleased === undefined);

    const job = await story.freshJob();
    const kept = new Map<string, string>();
    story.tap.set({
      onAnswer: (text, path) => {
        if (path.includes('/mining/work') && !kept.has(path)) kept.set(path, text);
        return kept.get(path) ?? text;
      },
    });
    story.upstream.refresh();
    await until('its answer is kept', () => kept.size > 0);
    await story.rivalBlock(job.work.chainId);
    await until('it is dead', () => story.upstream.whyReleased !== undefined);
    story.tap.heal();
    await until('it lives', () => story.upstream.whyReleased === undefined);
    await story.isWell();
  });

  it.each<[what: string, isPublic: boolean, faults: Partial<TapFaults>]>([
    ['no answer', false, { onAnswer: (text, path) => (path.endsWith('/cut') ? '' : text) }],
    ['a refusal', true, { onRequest: (text) => text.replaceAll('/cut HTTP', '/nowhere HTTP') }],
  ])('lives where a node gives work and names its chains no more: %s', async (_, isPublic, faults) => {
    await using story = await startStory({
      timings: FAST,
      upstream: { deadAfterMs: DEAD_MS, isKnownPublic: () => isPublic },
    });
    await story.isWell();
    story.tap.set(faults);
    const endsAtMs = performance.now() + 3 * DEAD_MS;
    while (performance.now() < endsAtMs) {
      expect(story.upstream.whyReleased).toBeUndefined();
      await sleep(FAST.probeMs);
    }
  });

  it('is dead where a public network of many chains has no new block, and lives again by one', async () => {
    // Nodes tell their time in whole seconds.
    await using story = await startStory({
      timings: FAST,
      upstream: { deadAfterMs: 3 * DEAD_MS, isKnownPublic: () => true },
    });
    await until('it is dead', () => story.upstream.whyReleased?.startsWith('the newest block'));
    for (let blocks = 0; story.upstream.whyReleased !== undefined; blocks++) {
      expect(blocks).toBeLessThan(500);
      await story.rivalBlock((await story.freshJob()).work.chainId);
      await sleep(FAST.probeMs);
    }
    await story.isWell();
  });
});
