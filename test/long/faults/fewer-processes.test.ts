/** Four processes become two while the queue is away: what the other two had acknowledged is booked. */
import { expect, it } from 'vitest';
import { findRedis, startTestRedis } from '../../helpers/books/redis.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { SteadyRig } from '../../helpers/rigs/steady-rig.js';
import { ACCOUNT, startProcessesStory } from '../../helpers/stories/processes-story.js';
import { until } from '../../helpers/until.js';

const missing = await findRedis();

it.skipIf(missing !== undefined)(
  'books what lies in the logs of bridges that are not started any more',
  async () => {
    await using folder = await temporaryFolder();
    await using story = await startProcessesStory(folder.path);
    const redis = await startTestRedis();
    const queue = ['--queue-redis-url', redis.url];
    const four = story.serve(4, queue);
    await four.ready();
    await redis.kill();
    const rigs = ['a', 'b', 'c', 'd'].map((name) => new SteadyRig(story.port, `${ACCOUNT}.${name}`));
    await until('all mine', () => rigs.every(({ accepted }) => accepted > 10));
    await Promise.all(rigs.map((rig) => rig.stop()));
    const accepted = rigs.reduce((all, rig) => all + rig.accepted, 0);
    four.kill('SIGTERM');
    expect(await four.ended).toBe(0);

    const two = story.serve(2, queue);
    await two.ready();
    expect(await story.booked()).toBeLessThan(accepted);
    await redis.start();
    await until('all is booked', async () => (await story.booked()) === accepted);
    const told = () => two.lines.filter(({ event }) => event === 'left-log').length;
    await until('both logs are told of', () => told() === 2);
    two.kill('SIGTERM');
    expect(await two.ended).toBe(0);
    await redis.close();
  },
);
