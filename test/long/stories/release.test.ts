/** Work dies at a bridge: its rig mines at the second pool, and comes back; the reason is in the log, in `status` and at `/readyz`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createDatabase, startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { findPrograms } from '../../helpers/processes/debian.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { runProgram, startProgram } from '../../helpers/processes/program.js';
import { startActivated } from '../../helpers/processes/socket-activation.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { openTap } from '../../helpers/stories/tap.js';
import { until } from '../../helpers/until.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const LOCAL = '127.0.0.1';
const ANY = `${LOCAL}:0`;
/** What it takes until work is dead, all rigs have gone, work was alive for long enough, and a rig has tried its first pool again. */
const PATIENCE_MS = 240_000;
const RELEASE = ['--stratum-release', '30s', '--stratum-share-difficulty', '4M', '--cpu-mode', 'off'];
const NODE = ['node', '--mining', '--listen', ANY, '--genesis-difficulty', '1000000000'];

const noSystemd = await findPrograms(
  'inherited sockets while work is dead',
  ['systemd-socket-activate'],
  'systemd',
);

it('a rig with two pools is at its second one while the work of the first is dead, and back afterwards', async () => {
  const postgres = await startTestPostgres();
  try {
    await using folder = await temporaryFolder();
    const database = ['--ledger-database-url', await createDatabase(postgres)];
    await using node = startProgram(NODE);
    const url = new URL(String((await node.ready())['url']));
    await using tap = await openTap(Number(url.port));
    const serve = (name: string, nodeUrl: string) =>
      startProgram([
        ...['serve', '--node-urls', nodeUrl, '--miner-account', ACCOUNT, ...database, ...RELEASE],
        ...[
          '--data-dir',
          `${folder.path}/${name}`,
          '--stratum-tcp',
          ANY,
          '--stratum-ws',
          'off',
          '--web-listen',
          ANY,
        ],
      ]);
    tap.set({ refuses: true });
    await using first = serve('first', tap.url);
    const early = await first.ready();
    await expect(WireRig.connect('tcp', portOf(early['tcp']))).rejects.toThrow('ECONNREFUSED');
    expect((await fetch(`${early['web']}/readyz`)).status).toBe(503);
    tap.heal();
    await until('rigs are let in', () => first.last('admitted'), PATIENCE_MS);
    await using second = serve('second', url.origin);
    const [one, two] = [await first.ready(), await second.ready()];
    await using rig = startProgram([
      ...['rig', '--urls', `tcp://${one['tcp']}`, '--urls', `tcp://${two['tcp']}`],
      ...['--user', `${ACCOUNT}.r`, '--threads', '1'],
    ]);
    const mines = (at: unknown) =>
      until(`the rig mines at ${at}`, () => rig.last('connected')?.['url'] === `tcp://${at}`, PATIENCE_MS);
    await mines(one['tcp']);

    tap.set({ refuses: true });
    await mines(two['tcp']);
    await until('a share there', async () => (await accepted(two['web'])) > 0);
    expect(first.last('released')).toMatchObject({
      level: 'warn',
      msg: expect.stringMatching(
        /^rigs are let go, the work is dead: no node has given work .* for \d+ s: see/,
      ),
    });
    const ready = await fetch(`${one['web']}/readyz`);
    expect(ready.status).toBe(503);
    const status = ['status', '--data-dir', `${folder.path}/first`];
    const { bridge } = JSON.parse((await runProgram(status)).text) as {
      bridge: { whyReleased: string | null };
    };
    expect(bridge.whyReleased).toMatch(/^no node has given work/);
    await expect(WireRig.connect('tcp', portOf(one['tcp']))).rejects.toThrow('ECONNREFUSED');

    tap.heal();
    await mines(one['tcp']);
    expect(first.last('admitted')).toMatchObject({ level: 'info' });
    const before = await accepted(one['web']);
    await until('shares at the first again', async () => (await accepted(one['web'])) > before);
    expect((await fetch(`${one['web']}/readyz`)).status).toBe(200);
    expect(second.last('released')).toBeUndefined();
  } finally {
    await postgres.close();
  }
});

it.skipIf(noSystemd)(
  'on sockets of systemd who comes is closed at once, and let in when work lives',
  async () => {
    const postgres = await startTestPostgres();
    try {
      await using folder = await temporaryFolder();
      await using node = startProgram(NODE);
      await using tap = await openTap(Number(new URL(String((await node.ready())['url'])).port));
      const ports = await freePorts(3);
      const [tcp = '', ws = '', web = ''] = ports.map((port) => `${LOCAL}:${port}`);
      const database = ['--ledger-database-url', await createDatabase(postgres)];
      await using service = await startActivated(
        folder.path,
        [tcp, ws, web],
        [
          'serve',
          '--node-urls',
          tap.url,
          '--miner-account',
          ACCOUNT,
          ...database,
          ...RELEASE,
          '--data-dir',
          folder.path,
        ],
      );
      const comesIn = async (): Promise<boolean> => {
        const rig = await WireRig.connect('tcp', ports[0] ?? 0);
        const isIn = await Promise.race([
          rig.request(1, 'mining.subscribe', ['asic/1', null]).then(
            () => true,
            () => false,
          ),
          rig.untilClosed().then(() => false),
        ]);
        rig.vanish();
        return isIn;
      };
      expect(await comesIn()).toBe(true);
      tap.set({ refuses: true });
      await until('rigs are let go', () => service.program.last('released'), PATIENCE_MS);
      await sleep(1_000);
      expect(await comesIn()).toBe(false);
      tap.heal();
      await until('rigs are let in', () => service.program.last('admitted'), PATIENCE_MS);
      expect(await comesIn()).toBe(true);
      await service.stopBridge();
    } finally {
      await postgres.close();
    }
  },
);

function portOf(tcp: unknown): number {
  return Number(String(tcp).split(':')[1]);
}

async function accepted(web: unknown): Promise<number> {
  const summary = (await (await fetchAsReader(`${web}/api/v1/summary`)).json()) as {
    readonly submits: { readonly accepted: number };
  };
  return summary.submits.accepted;
}
