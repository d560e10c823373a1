/**
 * A day of a pool in fast motion: a thousand rigs, strangers at the door, and recorder, database and nodes that go away and
 * come back. Afterwards every account's credit is the work that its rigs were answered for, and the books prove themselves.
 * BRIDGE_TEST_HOUR_MS and BRIDGE_TEST_RIGS set other numbers.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { expect, it } from 'vitest';
import { CloseStack } from '../../../src/cli/service/stop.js';
import { SILENT } from '../../../src/core/names/log.js';
import type { Summary } from '../../../src/operations/state.js';
import { createDatabase, startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { openGate } from '../../helpers/processes/gate.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { openTap } from '../../helpers/stories/tap.js';
import { until } from '../../helpers/until.js';
import { fetchAsReader } from '../../helpers/web/operators.js';
import type { AnsweredWork } from './pool-day-rigs.js';

const HOUR_MS = Number(process.env['BRIDGE_TEST_HOUR_MS'] ?? 20_000);
const RIGS = Number(process.env['BRIDGE_TEST_RIGS'] ?? 1_000);
const HOURS = 24;
const PROCESSES = 2;
const DRAIN_MS = 300_000;
const OURS = `k:${'ee'.repeat(32)}`;
const LIAR = `k:${'f'.repeat(64)}`;
const ANY = '127.0.0.1:0';
/** Small, so that a rig of a few lines finds one at once. */
const SHARE_DIFFICULTY = 16;
/** A block in some seconds of a thousand rigs with a share in two seconds each. */
const BLOCK_DIFFICULTY = 32_000;

const child = (name: string, ...args: readonly (string | number)[]): ChildProcess =>
  fork(new URL(`../../../dist/test/long/pool-day/${name}.js`, import.meta.url), args.map(String), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });

it.skipIf(process.platform !== 'linux')(
  'credits each account what its rigs were answered for, whatever went away meanwhile',
  async () => {
    const open = new CloseStack();
    try {
      const pool = await startPool(open);
      const rigs = await startRigs(pool.port, open);
      const strangers = child('pool-day-strangers', pool.port);
      open.add('strangers', async () => void strangers.kill('SIGKILL'));
      for (let hour = 0; hour < HOURS; hour++) {
        await pool.timetable[hour]?.();
        await pause(HOUR_MS);
      }
      strangers.kill('SIGKILL');
      const days = await Promise.all(rigs.map(stopped));
      await isBooked(pool, days);
    } finally {
      await open.close(SILENT);
    }
  },
  HOURS * HOUR_MS + 2 * DRAIN_MS,
);

type Pool = Awaited<ReturnType<typeof startPool>>;

/** Two nodes behind taps, a database behind a gate, a bridge, and a recorder in a process of its own. */
async function startPool(open: CloseStack) {
  const use = <T extends AsyncDisposable>(name: string, one: T): T => {
    open.add(name, async () => one[Symbol.asyncDispose]());
    return one;
  };
  const folder = use('folder', await temporaryFolder());
  const postgres = await startTestPostgres();
  open.add('database', () => postgres.close());
  const databaseUrl = await createDatabase(postgres);
  const gate = await openGate(Number(new URL(databaseUrl).port));
  open.add('gate', () => gate.shut());
  const gated = new URL(databaseUrl);
  gated.port = String(gate.port);

  const ports = await freePorts(2);
  const startNode = (port: number): Program =>
    startProgram([
      ...['node', '--mining', '--listen', `127.0.0.1:${port}`, '--data-dir', `${folder.path}/node-${port}`],
      ...['--genesis-difficulty', `${BLOCK_DIFFICULTY}`, '--block-delay', '80000ms'],
      ...ports.filter((other) => other !== port).flatMap((peer) => ['--peers', `http://127.0.0.1:${peer}`]),
    ]);
  const nodes = ports.map(startNode);
  open.add('nodes', async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))));
  await Promise.all(nodes.map((node) => node.ready()));
  const taps = await Promise.all(ports.map((port) => openTap(port)));
  for (const tap of taps) use('tap', tap);

  const bridge = use(
    'bridge',
    startProgram([
      ...[
        'serve',
        ...taps.flatMap(({ url }) => ['--node-urls', url]),
        '--miner-account',
        OURS,
        '--cpu-mode',
        'off',
      ],
      ...['--data-dir', folder.path, '--ledger-database-url', gated.href, '--no-queue-recorder'],
      ...[
        '--stratum-share-difficulty',
        `${SHARE_DIFFICULTY}`,
        '--work-chains',
        '4',
        '--rewards-scheme',
        'prop',
      ],
      ...['--stratum-tcp', ANY, '--stratum-ws', 'off', '--web-listen', ANY],
    ]),
  );
  const { tcp, web } = await bridge.ready();
  let recorder: Program | undefined;
  const startRecorder = async (): Promise<void> => {
    recorder = startProgram(['recorder', '--ledger-database-url', gated.href]);
    await recorder.ready();
  };
  const killRecorder = async (): Promise<void> => {
    recorder?.kill('SIGKILL');
    await recorder?.ended;
  };
  await startRecorder();
  open.add('recorder', killRecorder);
  const refuse = (indexes: readonly number[], refuses: boolean) => async (): Promise<void> => {
    for (const index of indexes) taps[index]?.set({ refuses });
  };
  const timetable: Readonly<Record<number, () => Promise<void>>> = {
    2: killRecorder,
    4: startRecorder,
    6: () => gate.shut(),
    7: () => gate.open(),
    9: refuse([0], true),
    11: refuse([0], false),
    12: refuse([0, 1], true),
    13: refuse([0, 1], false),
    15: async () => {
      await Promise.all([gate.shut(), killRecorder()]);
    },
    16: async () => {
      await gate.open();
      await startRecorder();
    },
    18: async () => {
      nodes[0]?.kill('SIGKILL');
      await nodes[0]?.ended;
    },
    19: async () => {
      nodes[0] = startNode(ports[0] ?? 0);
      await nodes[0].ready();
    },
    21: async () => {
      await gate.shut();
      await pause(HOUR_MS / 4);
      await gate.open();
    },
  };
  return {
    port: Number(String(tcp).split(':')[1]),
    databaseUrl,
    timetable,
    summary: async (): Promise<Summary> =>
      (await fetchAsReader(`${web}/api/v1/summary`)).json() as Promise<Summary>,
  };
}

async function startRigs(port: number, open: CloseStack): Promise<ChildProcess[]> {
  const each = Math.ceil(RIGS / PROCESSES);
  const rigs = Array.from({ length: PROCESSES }, (_, i) => child('pool-day-rigs', port, i * each, each));
  for (const process of rigs) open.add('rigs', async () => void process.kill('SIGKILL'));
  await Promise.all(rigs.map((process) => once(process, 'message')));
  return rigs;
}

async function stopped(rigs: ChildProcess): Promise<AnsweredWork> {
  const told = once(rigs, 'message');
  rigs.send('stop');
  const [answered] = (await told) as [AnsweredWork];
  return answered;
}

async function isBooked({ summary, databaseUrl }: Pool, days: readonly AnsweredWork[]): Promise<void> {
  const answered: Record<string, bigint> = {};
  for (const day of days) {
    expect([day.closed, day.unanswered], 'every rig stayed, and had an answer to each submit').toEqual([
      0, 0,
    ]);
    for (const [account, work] of Object.entries(day.answered))
      answered[account] = (answered[account] ?? 0n) + BigInt(work);
  }
  const owed = Object.fromEntries(Object.entries(answered).map(([account, work]) => [account, `${work}`]));
  await until(
    'nothing waits',
    async () => {
      const { queue } = await summary();
      return queue.isUp && queue.waiting === 0 && queue.heldBack === 0;
    },
    DRAIN_MS,
  );
  expect((await summary()).queue).toMatchObject({ failed: 0 });
  // What came in the last second may still be on its way. Too much would never go away again.
  const isAll = async (): Promise<boolean> => isDeepStrictEqual(await creditsIn(databaseUrl), owed);
  await until('all is booked', isAll, DRAIN_MS).catch(() => {});
  expect(await creditsIn(databaseUrl)).toEqual(owed);
  const { solutions } = await summary();
  expect(solutions.accepted).toBeGreaterThan(0);
  const { code, text } = await runProgram([
    'ledger',
    'verify',
    '--json',
    '--ledger-database-url',
    databaseUrl,
  ]);
  expect([code, JSON.parse(text)]).toEqual([
    0,
    expect.not.arrayContaining([expect.objectContaining({ passes: false })]),
  ]);
  const work = Object.values(answered).reduce((sum, one) => sum + one, 0n);
  const refused = days.reduce((sum, day) => sum + day.refused, 0);
  process.stdout.write(
    `${work / BigInt(SHARE_DIFFICULTY)} shares, ${refused} refused, blocks: ${JSON.stringify(solutions)}\n`,
  );
}

/** Account -> work in the books. A stranger who is authorized may have rejections there, and no work. */
async function creditsIn(connectionString: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client
    .query<{ account: string; work: string }>(
      `SELECT a.name AS account, sum(work)::text AS work FROM stratum_bridge.account_work JOIN stratum_bridge.account a ON a.id = account_id
       WHERE kind = 0 AND a.id <> 0 GROUP BY 1 ORDER BY 1`,
    )
    .finally(() => client.end());
  const credits = Object.fromEntries(rows.map(({ account, work }) => [account, work]));
  expect(credits[LIAR]).toBe(undefined);
  return credits;
}
