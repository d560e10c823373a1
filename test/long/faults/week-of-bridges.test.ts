/**
 * A week in fast motion of three bridges behind one primary: they are killed and replaced, and their database fails over to a standby
 * that has not heard of the last of it. What rigs were answered `true` for is in the books, for each account, once.
 * BRIDGE_TEST_DAY_MS sets another length of a day.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startPair } from '../../helpers/books/standby.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runHere } from '../../helpers/processes/command.js';
import { SteadyRig } from '../../helpers/rigs/steady-rig.js';
import { startProcessesStory } from '../../helpers/stories/processes-story.js';
import { until } from '../../helpers/until.js';

const BRIDGES = 3;
const DAY_MS = Number(process.env['BRIDGE_TEST_DAY_MS'] ?? 8_000);
const WEEK = ['kill', 'replace', 'kill', 'fail over', 'kill', 'replace', 'kill'] as const;
const ACCOUNTS = ['aa', 'bb', 'cc'].map((digits) => `k:${digits.repeat(32)}`);
const RIGS_OF_ACCOUNT = 4;

it('acknowledges what it books, whatever is killed, replaced, or fails over', async () => {
  await using folder = await temporaryFolder();
  await using pair = await startPair();
  await using story = await startProcessesStory(folder.path);
  const database = ['--ledger-database-url', pair.connectionString];
  const program = story.serve(BRIDGES, database);
  await program.ready();
  const rigsOf = (account: string): SteadyRig[] =>
    Array.from({ length: RIGS_OF_ACCOUNT }, (_, i) => new SteadyRig(story.port, `${account}.rig${i}`));
  const rigs = new Map(ACCOUNTS.map((account) => [account, rigsOf(account)]));
  const all = [...rigs.values()].flat();
  const sumOf = (some: readonly SteadyRig[], of: 'accepted' | 'unanswered' | 'cut' | 'moved'): number =>
    some.reduce((sum, rig) => sum + rig[of], 0);
  const mine = async (): Promise<void> => {
    const before = all.map(({ accepted }) => accepted);
    await until('all mine on', () => all.every((rig, i) => rig.accepted > (before[i] ?? 0)));
  };

  for (const [day, happens] of WEEK.entries()) {
    await pause(DAY_MS);
    if (happens === 'kill') process.kill(story.pidOf(day % BRIDGES), 'SIGKILL');
    else if (happens === 'replace') {
      const { code, said } = await story.replace();
      expect([code, said]).toEqual([0, expect.stringContaining(`${BRIDGES} of ${BRIDGES} replaced`)]);
    } else {
      await pair.caughtUp();
      await pair.cut();
      await mine();
      await pause(DAY_MS / 4);
      await pair.promote();
      await mine();
      await pair.letIn();
    }
    await mine();
  }
  await Promise.all(all.map((rig) => rig.stop()));
  expect([sumOf(all, 'cut'), sumOf(all, 'moved')].every((times) => times > 0)).toBe(true);

  const booked = async (account: string): Promise<number> => {
    const accounts = (await story.ask('ledger', 'accounts', ...database)) as {
      readonly account: string;
      readonly shares: number;
    }[];
    return accounts.find((one) => one.account === account)?.shares ?? 0;
  };
  for (const [account, own] of rigs) {
    const accepted = sumOf(own, 'accepted');
    await until('all is booked', async () => (await booked(account)) >= accepted);
    // The answer of a share may be lost with a process that is killed.
    expect(await booked(account)).toBeLessThanOrEqual(accepted + sumOf(own, 'unanswered'));
    process.stdout.write(`${accepted} acknowledged, ${await booked(account)} booked\n`);
  }
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  const proof = await runHere('ledger', ['verify', ...database]);
  expect([proof.code, proof.stderr]).toEqual([0, expect.any(String)]);
});
