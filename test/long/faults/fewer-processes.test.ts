/** Fewer processes than before, while the queue is away: what the others had acknowledged is booked. */
import { expect, it } from 'vitest';
import { findRedis, startTestRedis } from '../../helpers/books/redis.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { SteadyRig } from '../../helpers/rigs/steady-rig.js';
import { ACCOUNT, startProcessesStory } from '../../helpers/stories/processes-story.js';
import { until } from '../../helpers/until.js';

const missing = await findRedis();

it.skipIf(missing !== undefined).each([
  [4, 2, 2],
  [2, 'off', 1],
] as const)(
  '%i become %s: the logs of bridges that are not started any more are booked',
  async (before, after, left) => {
    await using folder = await temporaryFolder();
    await using story = await startProcessesStory(folder.path);
    const redis = await startTestRedis();
    const queue = ['--queue-redis-url', redis.url];
    const more = story.serve(before, queue);
    await more.ready();
    await redis.kill();
    const rigs = ['a', 'b', 'c', 'd'].map((name) => new SteadyRig(story.port, `${ACCOUNT}.${name}`));
    await until('all mine', () => rigs.every(({ accepted }) => accepted > 10));
    await Promise.all(rigs.map((rig) => rig.stop()));
    const accepted = rigs.reduce((all, rig) => all + rig.accepted, 0);
    more.kill('SIGTERM');
    expect(await more.ended).toBe(0);

    const fewer = story.serve(after, queue);
    await fewer.ready();
    expect(await story.booked()).toBeLessThan(accepted);
    await redis.start();
    await until('all is booked', async () => (await story.booked()) === accepted);
    const told = () => fewer.lines.filter(({ event }) => event === 'left-log').length;
    await until('the logs are told of', () => told() === left);
    fewer.kill('SIGTERM');
    expect(await fewer.ended).toBe(0);
    await redis.close();
  },
);
