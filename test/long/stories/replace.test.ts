/** A bridge that is replaced while rigs mine. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDevNode } from '../../../src/devnode/server.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { childrenOf } from '../../helpers/processes/children.js';
import { runHere } from '../../helpers/processes/command.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { SteadyRig } from '../../helpers/rigs/steady-rig.js';
import { until } from '../../helpers/until.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const RIGS = ['one', 'two', 'three'];
const SETTINGS = 'stratum:\n  agents: [{ agent: wandering, takesReconnect: true }]\n';

class Story {
  readonly dataDir: string;
  readonly settings: string;
  readonly port: number;
  readonly #nodeUrl: string;

  constructor(folder: string, nodeUrl: string, port: number) {
    this.dataDir = join(folder, 'data');
    this.settings = join(folder, 'bridge.yaml');
    this.#nodeUrl = nodeUrl;
    this.port = port;
  }

  serve(): Program {
    return startProgram([
      ...['serve', '--config', this.settings, '--node-urls', this.#nodeUrl, '--miner-account', ACCOUNT],
      ...['--data-dir', this.dataDir, '--stratum-share-difficulty', '16'],
      ...[
        '--stratum-tcp',
        `127.0.0.1:${this.port}`,
        '--stratum-ws',
        'off',
        '--web-listen',
        'off',
        '--cpu-mode',
        'off',
      ],
    ]);
  }

  async replace(): Promise<{ code: number | NodeJS.Signals; said: string }> {
    const { code, text, stderr } = await runProgram(['serve', '--replace', '--data-dir', this.dataDir]);
    return { code, said: text + stderr };
  }

  async booked(): Promise<number> {
    const { text } = await runHere('ledger', ['accounts', '--json', '--data-dir', this.dataDir]);
    return (JSON.parse(text) as { shares: number }[])[0]?.shares ?? 0;
  }
}

const sum = (
  rigs: readonly SteadyRig[],
  of: 'accepted' | 'unanswered' | 'refused' | 'moved' | 'cut',
): number => rigs.reduce((all, rig) => all + rig[of], 0);

async function haveMore(rigs: readonly SteadyRig[]): Promise<void> {
  const before = rigs.map((rig) => rig.accepted);
  await until('every rig has more shares', () => rigs.every((rig, i) => rig.accepted > (before[i] ?? 0) + 5));
}

async function endsWell(story: Story, bridge: Program, rigs: readonly SteadyRig[]): Promise<void> {
  await Promise.all(rigs.map((rig) => rig.stop()));
  bridge.kill('SIGTERM');
  expect(await bridge.ended).toBe(0);
  const again = story.serve();
  await again.ready();
  const accepted = sum(rigs, 'accepted');
  await until('all is booked', async () => (await story.booked()) >= accepted);
  expect(await story.booked()).toBeLessThanOrEqual(accepted + sum(rigs, 'unanswered'));
  again.kill('SIGTERM');
  expect(await again.ended).toBe(0);
}

it('a bridge that is replaced: ports stay open, rigs come back to what they had, all is booked', async () => {
  await using folder = await temporaryFolder();
  const node = await startDevNode({ listen: { host: '127.0.0.1', port: 0 } });
  const [port = 0] = await freePorts(1);
  const story = new Story(folder.path, node.url, port);
  await writeFile(story.settings, SETTINGS);
  const bridge = story.serve();
  await bridge.ready();
  const rigs = RIGS.map((name) => new SteadyRig(port, `${ACCOUNT}.${name}`));
  await haveMore(rigs);

  // Settings with a fault: all stays as it is.
  await writeFile(story.settings, 'stratum:\n  vardiff: { interval: never }\n');
  const refused = await story.replace();
  expect(refused.code).toBe(1);
  expect(refused.said).toContain('stratum.vardiff.interval');
  await writeFile(story.settings, SETTINGS);
  await haveMore(rigs);
  expect([sum(rigs, 'moved'), sum(rigs, 'cut')]).toEqual([0, 0]);

  for (const times of [1, 2]) {
    const { code, said } = await story.replace();
    expect([code, said]).toEqual([0, expect.stringContaining('is up')]);
    await haveMore(rigs);
    expect(sum(rigs, 'moved') + sum(rigs, 'cut')).toBe(times * rigs.length);
    // However often: the one that was started, and the one that serves.
    expect(await childrenOf(bridge.pid, 'serve')).toHaveLength(1);
  }
  expect(sum(rigs, 'refused')).toBe(0);
  await endsWell(story, bridge, rigs);
  await node.close();
});
