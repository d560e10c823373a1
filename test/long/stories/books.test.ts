/** The books under the real bridge: killed under load, asked beside it, refused to a second one. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import type { Summary } from '../../../src/operations/state.js';
import { createDatabase, startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runHere } from '../../helpers/processes/command.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { keepDiskFull, withSmallDisk } from '../../helpers/processes/small-disk.js';
import { findShare, submitLate } from '../../helpers/rigs/late-share.js';
import { measureHashes } from '../../helpers/rigs/measured-hashes.js';
import { PATIENCE_MS, until } from '../../helpers/until.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const OFF = ['--stratum-tcp', 'off', '--stratum-ws', 'off', '--web-listen', 'off', '--cpu-mode', 'off'];

async function ledgerSays(what: string, dataDir: string): Promise<Record<string, unknown>[]> {
  const { text, stderr, code } = await runHere('ledger', [what, '--json', '--data-dir', dataDir]);
  expect([stderr, code]).toEqual(['', 0]);
  return JSON.parse(text) as Record<string, unknown>[];
}

async function summaryOf(bridge: Program): Promise<Summary> {
  const { web } = await bridge.ready();
  return (await fetchAsReader(`${web}/api/v1/summary`)).json() as Promise<Summary>;
}

const hashesIn = measureHashes();
/** An empty ledger of its own takes half of it. */
const DISK_KILOBYTES = 192 * 1024;

/** Under load, with what else happens before it is killed. */
async function survive(
  dataDir: string,
  meanwhile: (bridge: Program) => Promise<void> = async () => {},
): Promise<void> {
  const node = await startDevNode({
    genesisDifficulty: Number(hashesIn(2)),
  });
  const [port] = await freePorts(1);
  const serve = (): Program =>
    startProgram([
      'serve',
      ...[
        '--node-urls',
        node.url,
        '--miner-account',
        ACCOUNT,
        '--data-dir',
        dataDir,
        '--stratum-share-difficulty',
        hashesIn(0.002),
      ],
      ...[
        '--stratum-tcp',
        `127.0.0.1:${port}`,
        '--stratum-ws',
        'off',
        '--web-listen',
        '127.0.0.1:0',
        '--cpu-mode',
        'off',
      ],
    ]);
  let bridge = serve();
  await bridge.ready();
  const rig = startProgram([
    'rig',
    ...['--urls', `tcp://127.0.0.1:${port}`, '--user', `${ACCOUNT}.r`, '--threads', '1'],
  ]);
  try {
    await until('shares come', async () => (await summaryOf(bridge)).submits.accepted > 50);
    await meanwhile(bridge);
    bridge.kill('SIGKILL');
    await bridge.ended;
    bridge = serve();
    await bridge.ready();
    expect(bridge.lines.map(({ msg }) => msg)).toContain('stopping a PostgreSQL that outlived its bridge');
    await until('the rig is back', async () => (await summaryOf(bridge)).submits.accepted > 50);
  } finally {
    rig.kill('SIGTERM');
    await rig.ended;
  }
  const { accepted, unanswered } = (rig.last('status') as { submits?: Counts }).submits ?? expect.fail();
  // Of the queue alone the last known is told, which may be of before the last shares.
  const isDrained = async (): Promise<boolean> => {
    const { queue, ledger } = await summaryOf(bridge);
    return (ledger.shares ?? 0) >= accepted && queue.waiting === 0 && queue.heldBack === 0;
  };
  await until('the queue is empty', isDrained);
  const [account] = await ledgerSays('accounts', dataDir);
  expect(account).toMatchObject({ account: ACCOUNT, rigs: 1 });
  // What had no answer when the bridge died may be in the books: once.
  expect(account?.['shares']).toBeGreaterThanOrEqual(accepted);
  expect(account?.['shares']).toBeLessThanOrEqual(accepted + unanswered);
  expect(await ledgerSays('verify', dataDir)).not.toContainEqual(expect.objectContaining({ passes: false }));
  bridge = await lateShareCounts(bridge, serve, dataDir, port ?? 0);
  bridge.kill('SIGTERM');
  expect(await bridge.ended).toBe(0);
  await node.close();
}

/** A share that was found before a restart counts after it, and once. */
async function lateShareCounts(
  former: Program,
  serve: () => Program,
  dataDir: string,
  port: number,
): Promise<Program> {
  const kept = join(dataDir, '0', 'resumable-sessions.json');
  const late = await findShare(port, `${ACCOUNT}.late`);
  former.kill('SIGTERM');
  expect(await former.ended).toBe(0);
  expect((await stat(kept)).mode & 0o777).toBe(0o600);
  const bridge = serve();
  await bridge.ready();
  await expect(stat(kept)).rejects.toThrow('ENOENT');
  expect(await submitLate(port, `${ACCOUNT}.late`, late)).toEqual({
    nonce1: late.nonce1,
    answers: [true, 22],
  });
  return bridge;
}

/** Share log, journal and database have no room: shares are refused, and all of them go on by themselves when there is some. */
async function fullDisk(bridge: Program, disk: string): Promise<void> {
  {
    await using _full = await keepDiskFull(disk);
    // What the share log has in reserve takes some thousand of them.
    const isRefused = async (): Promise<boolean> => (await summaryOf(bridge)).submits.tryAgain > 5;
    await until('shares are refused', isRefused, 4 * PATIENCE_MS);
  }
  const { accepted } = (await summaryOf(bridge)).submits;
  const { shares = 0 } = (await summaryOf(bridge)).ledger;
  await until('shares are taken', async () => (await summaryOf(bridge)).submits.accepted > accepted + 50);
  await until('they are booked', async () => ((await summaryOf(bridge)).ledger.shares ?? 0) > shares + 50);
}

describe.concurrent('the books of a real bridge', () => {
  it('has every acknowledged share once after a full disk and kill -9 under load, with a rig that keeps its own count', async () => {
    const reason = await withSmallDisk(async (disk) => {
      await mkdir(join(disk, 'data'));
      await survive(join(disk, 'data'), (bridge) => fullDisk(bridge, disk));
    }, DISK_KILOBYTES);
    if (reason === undefined) return;
    process.stderr.write(`LEFT OUT: a full disk of a bridge, because ${reason}\n`);
    await using folder = await temporaryFolder();
    await survive(folder.path);
  });

  it('is asked beside the bridge, kept from a second one, and run by no root', async () => {
    await using folder = await temporaryFolder();
    const dataDir = folder.path;
    const args = ['serve', '--miner-account', ACCOUNT, '--data-dir', dataDir, ...OFF];
    await using bridge = startProgram(args);
    await bridge.ready();
    const up = bridge.lines.find(({ msg }) => msg === 'the embedded PostgreSQL is up');
    const [pid] = (await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
    if (process.platform === 'linux') {
      const uid = Number(/^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
      expect(uid).toBeGreaterThan(0);
      if (process.getuid?.() === 0) expect(up?.['systemUser']).toMatch(/^(postgres|nobody)$/);
    }
    const [second, ...told] = await Promise.all([
      runProgram(args),
      ...['accounts', 'blocks', 'payouts', 'operator', 'verify'].map((what) => ledgerSays(what, dataDir)),
    ]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(
      `${join(dataDir, '0')} is in use: who holds it says it is process ${bridge.pid}; stop that one first`,
    );
    expect(told.map((rows) => rows.length > 0)).toEqual([false, false, false, true, true]);
  });

  it('is written by recorders in processes of their own, whichever of them dies', async () => {
    await using folder = await temporaryFolder();
    await using postgres = await startTestPostgres();
    const databaseUrl = await createDatabase(postgres);
    const node = await startDevNode({
      genesisDifficulty: Number(hashesIn(2)),
    });
    {
      await using bridge = startProgram([
        'serve',
        ...[
          '--node-urls',
          node.url,
          '--miner-account',
          ACCOUNT,
          '--data-dir',
          folder.path,
          '--no-queue-recorder',
        ],
        ...[
          '--stratum-tcp',
          '127.0.0.1:0',
          '--stratum-ws',
          'off',
          '--web-listen',
          '127.0.0.1:0',
          '--ledger-database-url',
          databaseUrl,
        ],
        ...['--cpu-mode', 'off', '--stratum-share-difficulty', hashesIn(0.01)],
      ]);
      const { tcp } = await bridge.ready();
      await using rig = startProgram([
        'rig',
        ...['--urls', `tcp://${tcp}`, '--user', `${ACCOUNT}.r`, '--threads', '1'],
      ]);
      await rig.ready();
      await until('shares wait', async () => (await summaryOf(bridge)).submits.accepted > 3);
      await until('nothing is booked', async () => (await summaryOf(bridge)).ledger.shares === 0);
      const record = (...more: string[]): Program =>
        startProgram(['recorder', '--ledger-database-url', databaseUrl, ...more]);
      await using first = record();
      await using second = record('--web-listen', '127.0.0.1:0');
      const [, { web }] = await Promise.all([first.ready(), second.ready()]);
      const hasMore = async (than: number): Promise<boolean> =>
        ((await summaryOf(bridge)).ledger.shares ?? 0) > than;
      await until('shares are recorded', () => hasMore(3));
      first.kill('SIGKILL');
      await first.ended;
      const { shares = 0 } = (await summaryOf(bridge)).ledger;
      await until('the other one goes on', () => hasMore(shares + 1));
      await until('it is ready', async () => (await fetch(`${web}/readyz`)).ok);
      // What stands in the books is counted a moment later.
      await until('it counts what it has recorded', async () =>
        /^stratum_bridge_recorder_entries_total\{result="recorded"\} [1-9]/m.test(
          await (await fetchAsReader(`${web}/metrics`)).text(),
        ),
      );
      const known = (await summaryOf(bridge)).ledger.shares ?? expect.fail();
      await postgres.close();
      // C1, C16: just when the database is away, somebody looks.
      const { ledger } = await until('the bridge sees it', async () => {
        const now = await summaryOf(bridge);
        return !now.ledger.isUp && !now.queue.isUp && now;
      });
      expect(ledger.shares).toBeGreaterThanOrEqual(known);
      const { web: bridgeWeb } = await bridge.ready();
      for (const url of [bridgeWeb, web])
        await until('metrics say so', async () =>
          /^stratum_bridge_ledger_up 0$/m.test(await (await fetchAsReader(`${url}/metrics`)).text()),
        );
      expect((await fetch(`${web}/healthz`)).status).toBe(200);
      await until('it is not ready', async () => (await fetch(`${web}/readyz`)).status === 503);
      second.kill('SIGTERM');
      expect(await second.ended).toBe(0);
    }
    await node.close();
  });

  it('says how to upgrade data of another major version', async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, 'postgres/data');
    await mkdir(data, { recursive: true });
    await writeFile(join(data, 'PG_VERSION'), '15\n');
    const { code, stderr } = await runProgram([
      'serve',
      '--miner-account',
      ACCOUNT,
      '--data-dir',
      folder.path,
      ...OFF,
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^stratum-bridge: .* was written by PostgreSQL 15, this bridge carries 18: .*ledger dump books\.dump.*ledger restore/,
    );
  });
});

interface Counts {
  readonly accepted: number;
  readonly unanswered: number;
}
