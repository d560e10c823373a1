/** The other ways to make blocks, through the real bridge and the real node. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevNodeOptions, startDevNode } from '../../src/devnode/server.js';
import type { Summary } from '../../src/web/state/summary.js';
import { temporaryFolder } from '../helpers/folder.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../helpers/postgres.js';
import { type Program, startProgram } from '../helpers/program.js';
import { until } from '../helpers/until.js';

const SEARCHER = fileURLToPath(new URL('../../dist/test/helpers/nonce-searcher.js', import.meta.url));

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

/** A node that takes any nonce and a bridge without rigs, for as long as `use` takes. */
async function withBridge(
  rules: Partial<DevNodeOptions>,
  settings: readonly string[],
  use: (web: string, summary: () => Promise<Summary>, bridge: Program) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder();
  const node = await startDevNode({ listen: { host: '127.0.0.1', port: 0 }, proofOfWork: false, ...rules });
  await using bridge = startProgram([
    'serve',
    ...['--database-url', await createDatabase(postgres)],
    ...['--node', node.url, '--account', `k:${'ab'.repeat(32)}`, '--data-dir', folder.path],
    ...['--tcp', 'off', '--ws', 'off', '--web', '127.0.0.1:0', ...settings],
  ]);
  const { web } = await bridge.ready();
  try {
    const summary = async () => (await fetch(`${web}/api/v1/summary`)).json() as Promise<Summary>;
    await use(String(web), summary, bridge);
  } finally {
    await node.close();
  }
}

/** Hashes of the first blocks. */
const EASY = 1_000_000;

interface RigList {
  readonly rigs: readonly { readonly rig: string; readonly lastShareAt: string }[];
}
const RESTS = 'a rig is connected: the CPU stops mining';
const MINES = 'no rig is connected: the CPU mines';

describe('blocks without a rig', () => {
  it.each([
    ['simulation', ['--cpu-hash-rate', String(5 * EASY)]],
    ['constant-delay', ['--cpu-block-delay-ms', '200']],
  ])('come by %s', async (mode, settings) => {
    await withBridge({ genesisDifficulty: EASY }, ['--cpu', mode, ...settings], async (_web, summary) => {
      await until('three blocks', async () => (await summary()).solutions.accepted >= 3);
      expect((await summary()).solutions.rejected).toBe(0);
    });
  });

  it('come on demand, exactly as many as asked for', async () => {
    await withBridge({}, ['--cpu', 'on-demand'], async (web, summary) => {
      await until('a job', async () => (await summary()).works.length > 0);
      const make = (body: unknown) =>
        fetch(`${web}/make-blocks`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const made = await make({ 0: 1, 4: 1 });
      expect([made.status, await made.json()]).toEqual([200, { made: { 0: 1, 4: 1 } }]);
      expect((await summary()).solutions).toMatchObject({ accepted: 2, rejected: 0 });
      const wrong = await make({ 0: -1 });
      expect(wrong.status).toBe(400);
      const noJson = await fetch(`${web}/make-blocks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{',
      });
      expect(noJson.status).toBe(400);
    });
  });

  it('come from the CPU until a rig comes, and again after it has left', async () => {
    const rules = { genesisDifficulty: EASY, proofOfWork: true };
    const settings = ['--cpu-threads', '1', '--tcp', '127.0.0.1:0'];
    await withBridge(rules, settings, async (web, summary, bridge) => {
      const sharesOfCpu = async (): Promise<string | undefined> => {
        const { rigs } = (await (await fetch(`${web}/api/v1/rigs`)).json()) as RigList;
        return rigs.find(({ rig }) => rig === 'cpu')?.lastShareAt;
      };
      await until('a share of the CPU', sharesOfCpu);
      const rig = startProgram([
        'rig',
        '--url',
        `tcp://${bridge.last('ready')?.['tcp']}`,
        '--user',
        'me.rig',
      ]);
      await until('the rig is connected', async () => (await summary()).sessions === 1);
      await until('the CPU rests', () => bridge.lines.some(({ msg }) => msg === RESTS));
      rig.kill('SIGTERM');
      expect(await rig.ended).toBe(0);
      await until('the CPU mines again', () => bridge.lines.some(({ msg }) => msg === MINES));
      const rested = await sharesOfCpu();
      await until('it has a share again', async () => (await sharesOfCpu()) !== rested);
    });
  });

  it('come from a command of the operator', async () => {
    const command = `"${process.execPath}" "${SEARCHER}"`;
    const rules = { genesisDifficulty: 2000, blockDelayMs: 1000 };
    await withBridge(rules, ['--cpu', 'external', '--cpu-command', command], async (_web, summary) => {
      await until('two blocks', async () => (await summary()).solutions.accepted >= 2);
      expect((await summary()).solutions.rejected).toBe(0);
    });
  });
});
