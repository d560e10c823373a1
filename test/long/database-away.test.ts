/** `serve` and `recorder` started while their database is away: rigs are served, and nothing is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startDevNode } from '../../src/devnode/dev-node.js';
import { SCHEMA } from '../../src/ledger/database/make-books.js';
import type { Summary } from '../../src/operations/state.js';
import { ask } from '../helpers/books/ask-postgres.js';
import { startTestPostgres } from '../helpers/books/postgres.js';
import { temporaryFolder } from '../helpers/folder.js';
import { openGate } from '../helpers/processes/gate.js';
import { startProgram } from '../helpers/processes/program.js';
import { until } from '../helpers/until.js';
import { fetchAsReader } from '../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;

/** A database that is away until its gate is opened. */
async function behindGate({ connectionString }: { readonly connectionString: string }) {
  const url = new URL(connectionString);
  const gate = await openGate(Number(url.port));
  await gate.shut();
  url.port = String(gate.port);
  return { gate, url };
}

it('LQ1: blocks of a bridge that began without its database, and was killed, are split by its shares', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startTestPostgres();
  const { gate, url } = await behindGate(postgres);
  await using node = await startDevNode({ genesisDifficulty: 1e6 });
  const start = (account: string) =>
    startProgram([
      ...['serve', '--node-urls', node.url, '--miner-account', account, '--data-dir', folder.path],
      ...[
        '--stratum-tcp',
        'off',
        '--stratum-ws',
        'off',
        '--web-listen',
        '127.0.0.1:0',
        '--chain-depth',
        '1',
        '--instance',
        '3',
      ],
      ...['--cpu-mode', 'always', '--cpu-threads', '1', '--stratum-share-difficulty', '10000'],
      ...['--rewards-scheme', 'prop', '--ledger-database-url', url.href],
    ]);
  const [first, second] = [`k:${'aa'.repeat(32)}`, `k:${'bb'.repeat(32)}`];
  {
    await using bridge = start(first);
    const { web } = await bridge.ready();
    await until('blocks are found', async () => {
      const { solutions } = (await (await fetchAsReader(`${web}/api/v1/summary`)).json()) as Summary;
      return solutions.accepted >= 5;
    });
    bridge.kill('SIGKILL');
  }
  // So that no share of the second one lies in a slot of these blocks.
  await pause(10_000);
  await gate.open();
  await using bridge = start(second);
  await bridge.ready();
  const workers = `SELECT CASE WHEN count(DISTINCT b.id) >= 5 AND bool_and(b.weighed_at IS NOT NULL)
      THEN string_agg(DISTINCT coalesce(a.name, 'nobody'), ' ') ELSE '' END
    FROM ${SCHEMA}.block b LEFT JOIN ${SCHEMA}.block_weight w ON w.block_id = b.id
    LEFT JOIN LATERAL unnest(w.accounts) AS u (id) ON true LEFT JOIN ${SCHEMA}.account a ON a.id = u.id WHERE b.state IS NOT NULL AND b.account = '${first}'`;
  const who = await until(
    'all of them are weighed',
    async () => (await ask(postgres, workers)) || undefined,
    180_000,
  );
  expect(who).toBe(first);
}, 300_000);

it('X8: a bridge and a recorder start without their database, and shares are booked when it is back', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startTestPostgres();
  const { gate, url } = await behindGate(postgres);
  const node = await startDevNode({ genesisDifficulty: 1e7 });
  try {
    const database = ['--ledger-database-url', url.href];
    await using recorder = startProgram(['recorder', ...database]);
    await using bridge = startProgram([
      ...[
        'serve',
        '--node-urls',
        node.url,
        '--miner-account',
        ACCOUNT,
        '--data-dir',
        folder.path,
        '--instance',
        '3',
      ],
      ...[
        '--stratum-tcp',
        'off',
        '--stratum-ws',
        'off',
        '--web-listen',
        '127.0.0.1:0',
        '--no-queue-recorder',
      ],
      ...['--cpu-mode', 'always', '--cpu-threads', '1', '--stratum-share-difficulty', '100000', ...database],
    ]);
    await recorder.ready();
    const { web } = await bridge.ready();
    const summary = async (): Promise<Summary> =>
      (await fetchAsReader(`${web}/api/v1/summary`)).json() as Promise<Summary>;
    const heldBack = await until(
      'shares that are kept',
      async () => {
        const { submits, queue } = await summary();
        return (queue.heldBack ?? 0) > 0 && submits.accepted > 0 && submits.accepted;
      },
      30_000,
    );
    for (const program of [recorder, bridge])
      expect(program.lines.map(({ msg }) => msg).join('\n')).toMatch(
        /database of the ledger is away: shares are kept/,
      );
    await gate.open();
    await until('they are booked', async () => ((await summary()).ledger.shares ?? 0) >= heldBack);
    await until('the heldBack is empty', async () => (await summary()).queue.heldBack === 0);
    expect(bridge.lines.map(({ msg }) => msg)).toContain('the database of the ledger answers');
  } finally {
    await node.close();
    await gate.shut();
    await postgres.close();
  }
});
