/** Bridges that are replaced, one after the other, while rigs mine. */
import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { childrenOf } from '../../helpers/processes/children.js';
import type { Program } from '../../helpers/processes/program.js';
import { SteadyRig } from '../../helpers/rigs/steady-rig.js';
import { ACCOUNT, type ProcessesStory, startProcessesStory } from '../../helpers/stories/processes-story.js';
import { until } from '../../helpers/until.js';

const RIGS = ['one', 'two', 'three'];

const sum = (
  rigs: readonly SteadyRig[],
  of: 'accepted' | 'unanswered' | 'refused' | 'moved' | 'cut',
): number => rigs.reduce((all, rig) => all + rig[of], 0);

async function haveMore(rigs: readonly SteadyRig[]): Promise<void> {
  const before = rigs.map((rig) => rig.accepted);
  await until('every rig has more shares', () => rigs.every((rig, i) => rig.accepted > (before[i] ?? 0) + 5));
}

async function endsWell(story: ProcessesStory, program: Program, rigs: readonly SteadyRig[]): Promise<void> {
  await Promise.all(rigs.map((rig) => rig.stop()));
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  const again = story.serve(1);
  await again.ready();
  const accepted = sum(rigs, 'accepted');
  await until('all is booked', async () => (await story.booked()) >= accepted);
  expect(await story.booked()).toBeLessThanOrEqual(accepted + sum(rigs, 'unanswered'));
  again.kill('SIGTERM');
  expect(await again.ended).toBe(0);
}

it.each([1, 2])(
  '%i: ports stay open, no share is lost, and no rig is cut off that can be asked to go',
  async (count) => {
    await using folder = await temporaryFolder();
    await using story = await startProcessesStory(folder.path);
    const program = story.serve(count);
    await program.ready();
    const rigs = RIGS.map((name) => new SteadyRig(story.port, `${ACCOUNT}.${name}`));
    await haveMore(rigs);

    // Settings with a fault: all stays as it is.
    await writeFile(story.file, 'stratum:\n  vardiff: { interval: never }\n');
    const refused = await story.replace();
    expect(refused.code).toBe(1);
    expect(refused.said).toContain('stratum.vardiff.interval');
    await writeFile(story.file, story.settings);
    await haveMore(rigs);
    expect([sum(rigs, 'moved'), sum(rigs, 'cut')]).toEqual([0, 0]);

    const before = await childrenOf(program.pid, 'main.js');
    const { code, said } = await story.replace();
    expect([code, said]).toEqual([0, expect.stringContaining(`${count} of ${count} replaced`)]);
    await haveMore(rigs);
    const after = await childrenOf(program.pid, 'main.js');
    expect([before.length, after.length]).toEqual([count, count]);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(sum(rigs, 'moved')).toBeGreaterThanOrEqual(rigs.length);
    expect([sum(rigs, 'cut'), sum(rigs, 'refused')]).toEqual([0, 0]);
    await endsWell(story, program, rigs);
  },
);

it('one that has died as others come is not started beside them', async () => {
  await using folder = await temporaryFolder();
  await using story = await startProcessesStory(folder.path);
  await using program = story.serve(2);
  await program.ready();
  const [first = 0] = await childrenOf(program.pid, 'main.js');
  process.kill(first, 'SIGKILL');
  expect(await story.replace()).toMatchObject({ code: 0 });
  expect(await childrenOf(program.pid, 'main.js')).toHaveLength(2);
  const rigs = RIGS.map((name) => new SteadyRig(story.port, `${ACCOUNT}.${name}`));
  await haveMore(rigs);
  expect(await childrenOf(program.pid, 'main.js')).toHaveLength(2);
  await Promise.all(rigs.map((rig) => rig.stop()));
});

it('a bridge without a primary says which ways there are', async () => {
  await using folder = await temporaryFolder();
  await using story = await startProcessesStory(folder.path);
  await using program = story.serve('off');
  await program.ready();
  const { code, said } = await story.replace();
  expect([code, said]).toEqual([1, expect.stringContaining('--processes 1')]);
});
