/** A network that nobody here has heard of: a development node whose tap gives it another name. */
import { expect, it } from 'vitest';
import { NodeError } from '../../src/chain/errors.js';
import { startStory } from '../helpers/stories/upstream-story.js';
import { until } from '../helpers/until.js';

/** As many letters as `development` has, so that lengths stay what they say. */
const MADE_UP = 'fable-net-7';

it('a network of any name is mined by what its node says of itself', async () => {
  await using story = await startStory({
    urlOf: (tap) => {
      tap.set({
        onRequest: (text) => text.replaceAll(MADE_UP, 'development'),
        onAnswer: (text) => text.replaceAll('development', MADE_UP),
      });
      return tap.url;
    },
  });
  await until('it gives work under its name', () => {
    const [report] = story.upstream.reports;
    return report?.network === MADE_UP && report.state === 'healthy';
  });
  const job = await story.freshJob();
  expect(await story.solve(job)).toBe(true);
  await until('the node takes it', () => (story.node.cut().heights[job.work.chainId] ?? 0) > 0);
  // Each is hashed with the number of the network, and has proof of work.
  await until('headers that are believed, that of the block among them', async () => {
    const [client] = story.upstream.clients().values();
    const page = await client?.chain(job.work.chainId).headers.page().catch(passing);
    return page?.items.some(({ height }) => height === 1);
  });
});

/** On a busy machine an answer may take too long, and is asked for again; any other failure is one. */
function passing(error: unknown): undefined {
  if (!(error instanceof NodeError) || error.code !== 'timeout') throw error;
}
