/** A bridge whose connections are all taken: it keeps the files that nodes, books and queue need. */
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import type { Summary } from '../../../src/operations/state.js';
import { postmasterPid } from '../../helpers/books/ask-postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { startProgram } from '../../helpers/processes/program.js';
import { measureHashes } from '../../helpers/rigs/measured-hashes.js';
import { openTap } from '../../helpers/stories/tap.js';
import { until } from '../../helpers/until.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const FILES = 300;
/** Half of them. */
const FOR_RIGS = 150;
const STRANGERS = FILES + 50;
const LOGIN = ['subscribe', 'authorize']
  .map((method, id) => `${JSON.stringify({ id, method: `mining.${method}`, params: ['idle', ''] })}\n`)
  .join('');

/** A rig that logs in and never works; most are refused. */
function idleRig(address: string, localAddress: string): Socket {
  const [host = '', port] = address.split(':');
  const socket = connect({ host, port: Number(port), localAddress });
  socket.on('error', () => {});
  socket.resume();
  socket.write(LOGIN);
  return socket;
}

it.skipIf(process.platform === 'win32')(
  'A5: idle rigs take all connections, and solutions are posted and shares booked all the same, also over new ones',
  async () => {
    await using folder = await temporaryFolder();
    const hashesIn = measureHashes('scalar');
    const node = await startDevNode({
      genesisDifficulty: Number(hashesIn(0.03)),
    });
    await using tap = await openTap(Number(new URL(node.url).port));
    await using bridge = startProgram(
      [
        'serve',
        ...[
          '--node-urls',
          tap.url,
          '--miner-account',
          ACCOUNT,
          '--data-dir',
          folder.path,
          '--stratum-ws',
          'off',
        ],
        ...[
          '--stratum-tcp',
          '127.0.0.1:0',
          '--web-listen',
          '127.0.0.1:0',
          '--stratum-share-difficulty',
          hashesIn(0.03),
        ],
        ...['--cpu-mode', 'always', '--cpu-threads', '1', '--cpu-kernel', 'scalar', '--work-chains', '2'],
      ],
      {},
      undefined,
      ['sh', '-c', `ulimit -n ${FILES} && exec "$0" "$@"`],
    );
    const { tcp, web } = await bridge.ready();
    expect(bridge.last('files')?.msg).toContain(
      `at most ${FOR_RIGS} rigs can connect, 38 of one address, not the 20000`,
    );
    const summary = async (): Promise<Summary> =>
      (await fetchAsReader(`${web}/api/v1/summary`)).json() as Promise<Summary>;
    const strangers = Array.from({ length: STRANGERS }, (_, i) => idleRig(String(tcp), `127.0.1.${i % 10}`));
    try {
      const full = await until('all connections are taken', async () => {
        const now = await summary();
        return now.sessions === FOR_RIGS && now.rigs.refused === STRANGERS - FOR_RIGS && now;
      });
      // Whoever is known already has a connection: now each needs new ones.
      tap.cut();
      process.kill(await postmasterPid(folder.path), 'SIGKILL');
      await until('blocks and shares', async () => {
        const { solutions, ledger } = await summary();
        const isMore = solutions.accepted >= full.solutions.accepted + 3;
        return isMore && ledger.isUp && (ledger.shares ?? 0) > (full.ledger.shares ?? 0) + 3;
      });
      expect((await summary()).sessions).toBe(FOR_RIGS);
      expect(bridge.lines.filter((line) => /EMFILE|ENFILE/.test(JSON.stringify(line)))).toEqual([]);
    } finally {
      for (const socket of strangers) socket.destroy();
      await node.close();
    }
  },
);
