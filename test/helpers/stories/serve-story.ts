/**
 * `serve` as a real process between two development nodes in processes of their own, each behind a tap, with a mining rig as
 * a process and a bare one that writes down what it gets. A test tells what happens; `isWell` says that all came through.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CloseStack } from '../../../src/cli/service/stop.js';
import { blockHashOf } from '../../../src/core/bytes/block-hash.js';
import { fromHex, toBase64Url } from '../../../src/core/bytes/bytes.js';
import { SILENT } from '../../../src/core/names/log.js';
import { decodeHeader, type HeaderFields } from '../../../src/core/work/header.js';
import { NodeClient } from '../../../src/node-client/client.js';
import type { Summary } from '../../../src/operations/state.js';
import { deadJobs } from '../books/dead-jobs.js';
import { createDatabase, startTestPostgres } from '../books/postgres.js';
import { temporaryFolder } from '../folder.js';
import { freePorts } from '../processes/ports.js';
import { type Program, startProgram } from '../processes/program.js';
import { measureHashes } from '../rigs/measured-hashes.js';
import { assertCalm, showRate } from '../rigs/request-rate.js';
import { WireRig } from '../rigs/wire-rig.js';
import { PATIENCE_MS, until } from '../until.js';
import { fetchAsReader } from '../web/operators.js';
import { openTap } from './tap.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const ANY = '127.0.0.1:0';
const CHAINS = 2;
/** Blocks for which jobs are watched. */
const WATCHED_BLOCKS = 3;
/** Seconds that a block takes the rig on a machine that has nothing else to do. */
const BLOCK_SECONDS = 0.25;
/** Of the network, which sees a block of one rig at a time. */
const NETWORK_CHAINS = 20;
const SHARE_SECONDS = 0.2;

export type ServeStory = Awaited<ReturnType<typeof startServeStory>>;

/** @param env added to the environment of `serve`. */
export async function startServeStory(env: Record<string, string> = {}) {
  const open = new CloseStack();
  try {
    return await build(open, env);
  } catch (error) {
    await open.close(SILENT);
    throw error;
  }
}

async function build(open: CloseStack, env: Record<string, string>) {
  const use = <T extends AsyncDisposable>(name: string, one: T): T => {
    open.add(name, async () => one[Symbol.asyncDispose]());
    return one;
  };
  const folder = use('folder', await temporaryFolder());
  const postgres = await startTestPostgres();
  open.add('database', () => postgres.close());
  const databaseUrl = await createDatabase(postgres);
  const ports = await freePorts(2);
  /** Nodes that cannot be asked now. */
  const down = new Set<number>();
  const hashesIn = measureHashes();
  const startAt = (port: number): Program => startNode(port, ports, folder.path, hashesIn(BLOCK_SECONDS));
  const nodes = ports.map(startAt);
  open.add('nodes', async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))));
  await Promise.all(nodes.map((node) => node.ready()));
  const taps = await Promise.all(ports.map((port) => openTap(port)));
  for (const tap of taps) use('tap', tap);
  const startedAtMs = performance.now();
  const bridge = use(
    'bridge',
    startProgram(
      [
        ...['serve', ...taps.flatMap(({ url }) => ['--node-urls', url])],
        ...['--miner-account', ACCOUNT, '--data-dir', folder.path, '--ledger-database-url', databaseUrl],
        ...[
          '--work-chains',
          `${CHAINS}`,
          '--cpu-mode',
          'off',
          '--stratum-share-difficulty',
          hashesIn(SHARE_SECONDS),
        ],
        ...['--stratum-tcp', ANY, '--stratum-ws', 'off', '--web-listen', ANY],
      ],
      env,
    ),
  );
  const { tcp, web } = await bridge.ready();
  use('rig', startProgram(['rig', '--urls', `tcp://${tcp}`, '--user', `${ACCOUNT}.miner`, '--threads', '1']));
  const watcher = await WireRig.connect('tcp', Number(String(tcp).split(':')[1]));
  open.add('watcher', async () => watcher.vanish());
  await watcher.request(1, 'mining.subscribe', ['watcher/1', null]);
  await watcher.request(2, 'mining.authorize', [`${ACCOUNT}.watcher`, 'x']);
  const clients = await Promise.all(
    ports.map((port) => NodeClient.connect({ nodes: `http://127.0.0.1:${port}` })),
  );
  open.add('clients', async () => void (await Promise.all(clients.map((client) => client.close()))));

  const summary = async (): Promise<Summary> =>
    (await fetchAsReader(`${web}/api/v1/summary`)).json() as Promise<Summary>;
  const jobs = (): HeaderFields[] =>
    watcher
      .notices('mining.notify')
      .map(({ params }) => decodeHeader(fromHex(String(params?.[1])) ?? assert.fail()));
  const headsOf = async (index: number): Promise<Map<number, { hash: string; height: number }>> => {
    const { hashes } = await (clients[index] ?? assert.fail()).maintenance.cut();
    return new Map(Object.entries(hashes).map(([chainId, head]) => [Number(chainId), head]));
  };
  /** The newest job is of this node, and extends its cut. */
  const isFresh = async (index: number): Promise<boolean> => {
    const job = jobs().at(-1);
    if (job === undefined || deadJobs([job], taps[index]?.answers.works ?? []).length > 0) return false;
    return (await headsOf(index)).get(job.chainId)?.hash === toBase64Url(job.parent);
  };
  const height = async (index: number): Promise<number> =>
    (await (clients[index] ?? assert.fail()).maintenance.cut()).height;
  const active = async (): Promise<number> => (await summary()).nodes.findIndex(({ isActive }) => isActive);
  const switches = (): number => bridge.lines.filter(({ event }) => event === 'switch').length;

  let requestId = 2;
  /** What the bridge sends from now on comes after the jobs so far. */
  const allSentHasCome = async (): Promise<number> => {
    await watcher.request(++requestId, 'mining.authorize', [`${ACCOUNT}.watcher`, 'x']);
    return jobs().length;
  };

  /** Rigs work for this node, get its jobs in order, and make blocks of them. False when they were given to another node. */
  const worksFor = async (index: number): Promise<boolean> => {
    const before = switches();
    const stays = async (): Promise<boolean> => (await active()) === index && switches() === before;
    const unless = async (holds: Promise<boolean>): Promise<boolean> => (await holds) || !(await stays());
    const first = await allSentHasCome();
    if (!(await stays())) return false;
    await until('a fresh job after the fault', () => unless(isFresh(index)));
    const startHeight = await height(index);
    const hasGrown = async (): Promise<boolean> => (await height(index)) >= startHeight + WATCHED_BLOCKS;
    await until('blocks', () => unless(hasGrown()));
    await until('a fresh job after them', () => unless(isFresh(index)));
    const last = await allSentHasCome();
    if (!(await stays())) return false;
    assert.deepEqual(deadJobs(jobs().slice(first, last), taps[index]?.answers.works ?? []), []);
    return true;
  };
  const query = async <T extends object>(text: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    return (await client.query<T>(text).finally(() => client.end())).rows;
  };
  /** None is given up, and what a node is said to have taken is among its blocks. */
  const losesNoSolution = async (): Promise<void> => {
    const rows = await query<{ state: string; header: Buffer; chain: number; node: string; detail: string }>(
      'SELECT said AS state, header, chain_id AS chain, node, detail FROM stratum_bridge.block',
    );
    assert.deepEqual(
      rows.filter(({ state }) => state === 'lost').map(({ detail }) => detail),
      [],
    );
    assert.ok(rows.some(({ state }) => state === 'received'));
    for (const { header, chain, node } of rows.filter(({ state }) => state === 'received')) {
      const index = taps.findIndex(({ url }) => url === node);
      if (down.has(index)) continue;
      const client = clients[index] ?? assert.fail(node);
      await client.chain(chain).header(toBase64Url(blockHashOf(header)));
    }
  };
  await until('blocks of the rig', async () => (await summary()).solutions.accepted > 2);

  return {
    taps,
    tap: taps[0] ?? assert.fail(),
    bridge,
    summary,
    state: async (index = 0) => (await summary()).nodes[index]?.state,
    active,
    /** As `kill -9`, and started again on its blocks after a while. */
    async restartNode(index: number, afterMs: number): Promise<void> {
      const node = nodes[index] ?? assert.fail();
      down.add(index);
      node.kill('SIGKILL');
      await node.ended;
      await sleep(afterMs);
      nodes[index] = startAt(ports[index] ?? 0);
      await nodes[index]?.ready();
      down.delete(index);
    },
    /** A node of another network; to be disposed of. */
    foreignNode: () => startProgram(['node', '--mining', '--listen', ANY, '--network', 'testnet04']),
    /**
     * To be asked as soon as a fault is over: what must hold then.
     *
     * @param index of the node that rigs must work for; without it, of any.
     */
    async isWell(index?: number): Promise<void> {
      const worksForOne = async (): Promise<boolean> => {
        const now = await active();
        return (index === undefined || now === index) && (await worksFor(now));
      };
      await until('rigs work for the node', worksForOne, 4 * PATIENCE_MS);
      assert.equal((await summary()).sessions, 2, 'both rigs are connected');
      assert.equal(watcher.closed, false);
      assert.equal(bridge.last('session-closed') !== undefined, false, 'no rig was gone in between');
      await losesNoSolution();
      for (const tap of taps) assertCalm(tap, startedAtMs, CHAINS);
    },
    async [Symbol.asyncDispose]() {
      for (const [i, tap] of taps.entries())
        process.stdout.write(`node ${i + 1}: ${showRate(tap, startedAtMs)}\n`);
      await open.close(SILENT);
    },
  };
}

function startNode(port: number, ports: readonly number[], folder: string, difficulty: string): Program {
  const peers = ports.filter((other) => other !== port);
  return startProgram([
    ...['node', '--mining', '--listen', `127.0.0.1:${port}`, '--data-dir', `${folder}/node-${port}`],
    ...['--genesis-difficulty', difficulty],
    // As many blocks as the rig can make: the difficulty stays near.
    ...['--block-delay', `${BLOCK_SECONDS * NETWORK_CHAINS}s`],
    ...peers.flatMap((peer) => ['--peers', `http://127.0.0.1:${peer}`]),
  ]);
}
