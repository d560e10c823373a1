/** History of a real bridge: from the books, so that a bridge that was killed shows it as before. */
import { expect, it } from 'vitest';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';
import { measureHashes } from '../../helpers/rigs/measured-hashes.js';
import { until } from '../../helpers/until.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const hashesIn = measureHashes();

/** Again while the ledger does not answer in time, as on a busy machine. */
async function ask<T>(bridge: Program, path: string): Promise<T> {
  const { web } = await bridge.ready();
  return until(`${path} is answered`, async () => {
    const answer = await fetchAsReader(`${web}/api/v1/${path}`);
    const body = (await answer.json()) as T;
    return answer.status !== 503 && { body };
  }).then(({ body }) => body);
}

interface Columns {
  readonly from: string;
  readonly stepMs: number;
  readonly values?: readonly (number | null)[];
}

/** By the minute, without the one in progress: accepted shares, or how fresh jobs were. */
async function byMinute(
  bridge: Program,
  of: string,
  metric: 'shares' | 'freshness' = 'shares',
): Promise<Map<number, number>> {
  const path = `history?metric=${metric}&range=1h&of=${of}`;
  const { from, stepMs, values = [] } = await ask<Columns>(bridge, path);
  const minutes = values
    .slice(0, -1)
    .flatMap((value, i): [number, number][] =>
      value === null ? [] : [[Date.parse(from) + i * stepMs, value]],
    );
  return new Map(minutes);
}

it('shows after kill -9 what it showed before, with blocks and an account', async () => {
  await using folder = await temporaryFolder();
  const node = await startDevNode({
    // A block takes as long as it does, on a busy machine many times that, and is to have some above it.
    genesisDifficulty: Number(hashesIn(0.2)),
  });
  const serve = (): Program =>
    startProgram([
      ...['serve', '--node-urls', node.url, '--miner-account', ACCOUNT, '--data-dir', folder.path],
      ...['--stratum-share-difficulty', hashesIn(0.05), '--cpu-threads', '1'],
      ...['--stratum-tcp', 'off', '--stratum-ws', 'off', '--web-listen', '127.0.0.1:0'],
    ]);
  {
    await using bridge = serve();
    const before = await until('a minute has gone by', async () => {
      const minutes = await byMinute(bridge, 'pool');
      return minutes.size > 0 && minutes;
    });
    const fresh = await until('jobs of a minute are in the books', async () => {
      const minutes = await byMinute(bridge, 'pool', 'freshness');
      return minutes.size > 0 && minutes;
    });
    bridge.kill('SIGKILL');
    await bridge.ended;
    await using again = serve();
    for (const of of ['pool', `account:${ACCOUNT}`])
      await until(`${of} has what was booked`, async () => {
        const minutes = await byMinute(again, of);
        return [...before].every(([minute, shares]) => (minutes.get(minute) ?? 0) >= shares);
      });
    const freshAgain = await byMinute(again, 'pool', 'freshness');
    expect([...freshAgain.keys()]).toEqual(expect.arrayContaining([...fresh.keys()]));
    const { rigs } = await ask<{ rigs: { lastShareAt: string }[] }>(again, `accounts/${ACCOUNT}`);
    expect(rigs).toHaveLength(1);
    await until('a block is shown with its effort', async () => {
      const { blocks } = await ask<{ blocks: { state: string; effort: number | null }[] }>(again, 'blocks');
      return blocks.some(({ state, effort }) => state !== 'pending' && (effort ?? 0) > 0);
    });
  }
  await node.close();
});
