/** What a new user types first. */
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/web/summary.js';
import { temporaryFolder } from '../helpers/folder.js';
import { serveHttp } from '../helpers/http.js';
import { processesOf } from '../helpers/processes.js';
import { type LogLine, runProgram, startProgram } from '../helpers/program.js';
import { until } from '../helpers/until.js';

const MINED = 3;

/** Runs the demo until blocks are found and shares booked, then stops it by `signal`. */
async function runDemo(
  dataDir: string,
  signal: NodeJS.Signals,
): Promise<{ last: Summary; ready: LogLine; lines: readonly LogLine[] }> {
  const demo = startProgram(['demo', '--data-dir', dataDir]);
  const ready = await demo.ready();
  const summary = async (): Promise<Summary> =>
    (await fetch(`${ready['web']}/api/v1/summary`)).json() as Promise<Summary>;
  await until(
    'solutions accepted and shares in the ledger',
    async () => {
      const { solutions, ledger, sessions } = await summary();
      return solutions.accepted >= MINED && (ledger.shares ?? 0) >= MINED && sessions === 1;
    },
    60_000,
  );
  const last = await summary();
  demo.kill(signal);
  expect(await demo.ended).toBe(0);
  return { last, ready, lines: demo.lines };
}

async function blocksOf(dataDir: string): Promise<{ state: string }[]> {
  const { text } = await runProgram(['ledger', 'blocks', '--limit', '100000', '--data-dir', dataDir]);
  return JSON.parse(text) as { state: string }[];
}

describe.skipIf(process.platform !== 'linux')('the demo', () => {
  it('C5: mines within its first seconds, stops without a trace, and goes on with the same ledger and chain', async () => {
    await using folder = await temporaryFolder();
    const first = await runDemo(folder.path, 'SIGINT');
    expect(await processesOf(folder.path)).toEqual([]);
    for (const address of ['web', 'node'] as const) {
      await expect(fetch(String(first.ready[address]))).rejects.toThrow();
    }
    const second = await runDemo(folder.path, 'SIGTERM');
    expect(second.last.ledger.shares).toBeGreaterThan(first.last.ledger.shares ?? expect.fail());
    const kept = await blocksOf(folder.path);
    expect(kept.length).toBeGreaterThanOrEqual(2 * MINED);
    expect(kept.filter(({ state }) => state === 'unknown')).toEqual([]);
    // C17: a line for each thing that happens, and none for what goes right all the time.
    for (const { lines } of [first, second]) {
      const told = lines.filter(({ msg }) => !msg?.startsWith('port '));
      expect(told.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
      expect(told.length).toBeLessThan(30);
    }
    expect(await processesOf(folder.path)).toEqual([]);
  });

  it('takes a free port where a default one is taken, and says so', async () => {
    await using folder = await temporaryFolder();
    await using _taken = await serveHttp((_request, response) => void response.end(), 1920);
    const { ready, lines } = await runDemo(folder.path, 'SIGTERM');
    expect(ready['web']).not.toContain(':1920');
    expect(
      lines.some(({ msg, level }) => level === 'warn' && msg?.startsWith('port 1920 is taken: web.listen')),
    ).toBe(true);
  });

  it('leaves no child behind when it is killed', async () => {
    await using folder = await temporaryFolder();
    const demo = startProgram(['demo', '--data-dir', folder.path]);
    const { node } = await demo.ready();
    demo.kill('SIGKILL');
    await demo.ended;
    await until('the node has ended too', () =>
      fetch(String(node)).then(
        () => false,
        () => true,
      ),
    );
    const next = startProgram(['demo', '--data-dir', folder.path]);
    await next.ready();
    next.kill('SIGTERM');
    expect(await next.ended).toBe(0);
    expect(await processesOf(folder.path)).toEqual([]);
  });
});
