/** The other ways to make blocks, through the real bridge and the real node. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/web/summary.js';
import { temporaryFolder } from '../helpers/folder.js';
import { startProgram } from '../helpers/program.js';
import { until } from '../helpers/until.js';

const SEARCHER = fileURLToPath(new URL('../../dist/test/helpers/nonce-searcher.js', import.meta.url));

/** A node and a bridge without rigs, for as long as `use` takes. */
async function withBridge(
  nodeSettings: readonly string[],
  settings: readonly string[],
  use: (web: string, summary: () => Promise<Summary>) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder();
  await using node = startProgram(['node', '--mining', '--listen', '127.0.0.1:0', ...nodeSettings]);
  const nodeUrl = String((await node.ready())['url']);
  await using bridge = startProgram([
    'serve',
    ...['--node', nodeUrl, '--account', `k:${'ab'.repeat(32)}`, '--data-dir', folder.path],
    ...['--tcp', 'off', '--ws', 'off', '--web', '127.0.0.1:0', ...settings],
  ]);
  const { web } = await bridge.ready();
  await use(String(web), async () => (await fetch(`${web}/api/v1/summary`)).json() as Promise<Summary>);
}

const NO_PROOF = ['--proof-of-work', 'false'];

describe('blocks without a rig', () => {
  it.each([
    ['simulation', ['--cpu-hash-rate', '5000000']],
    ['constant-delay', ['--cpu-block-delay-ms', '200']],
  ])('come by %s', async (mode, settings) => {
    await withBridge(NO_PROOF, ['--cpu', mode, ...settings], async (_web, summary) => {
      await until('three blocks', async () => (await summary()).solutions.accepted >= 3);
      expect((await summary()).solutions.rejected).toBe(0);
    });
  });

  it('come on demand, exactly as many as asked for', async () => {
    await withBridge(NO_PROOF, ['--cpu', 'on-demand'], async (web, summary) => {
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

  it('come from a command of the operator', async () => {
    const command = `"${process.execPath}" "${SEARCHER}"`;
    const easy = [...NO_PROOF, '--genesis-difficulty', '2000', '--block-delay-ms', '1000'];
    await withBridge(easy, ['--cpu', 'external', '--cpu-command', command], async (_web, summary) => {
      await until('two blocks', async () => (await summary()).solutions.accepted >= 2);
      expect((await summary()).solutions.rejected).toBe(0);
    });
  });
});
