/** New Cuts in a row on one chain: each question follows the answer before it, and only a node that takes long has a rest. */
import { expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import type { Work } from '../../src/core/work/work.js';
import { ChainWatch } from '../../src/upstream/works/chain-watch.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';

const CUTS = 100;

/** Each answer leads to the next New Cut; the clock moves by what an answer takes, and by nothing else. */
function watchAll(tookMs: number) {
  const clock = { nowMs: 0 };
  const gave: number[] = [];
  let asked = 0;
  const watch: ChainWatch = new ChainWatch(
    {
      client: { readUpdates: () => ({ close: () => undefined }) as never },
      chainId: 3,
      fetch: async (): Promise<Work> => {
        asked++;
        clock.nowMs += tookMs;
        return makeWork({ parent: asked });
      },
      events: {
        mayAsk: () => true,
        asked: () => undefined,
        gave: (_watch, work) => {
          gave.push(work.fields.parent[0] ?? 0);
          if (asked < CUTS) watch.refresh();
        },
        gaveOther: () => expect.fail('it is of this chain'),
        failed: (_watch, error) => expect.fail(String(error)),
        noStream: () => undefined,
      },
      log: SILENT,
      silenceMs: 60_000,
      random: () => 0,
      now: () => clock.nowMs,
    },
    makeWork({}),
  );
  watch.refresh();
  return { gave, clock, [Symbol.dispose]: () => watch.close() };
}

it('are each asked about at once, where the node answers soon', async () => {
  using watched = watchAll(1);
  await until('all were asked about', () => watched.gave.length === CUTS);
  expect(watched.clock.nowMs).toBe(CUTS);
});

it('are asked about after a rest, where the node takes long', async () => {
  // By this clock the rest never ends: only a timer ends it.
  using watched = watchAll(200);
  await until('the second one was asked about', () => watched.gave.length === 2);
  expect(watched.gave.length).toBeLessThan(CUTS);
});
