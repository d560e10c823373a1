/**
 * `serve` as a real process between two development nodes in processes of their own, each behind a tap, with a mining rig as
 * a process and a bare one that writes down what it gets. A test tells what happens; `isWell` says that all came through.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CloseStack } from '../../src/commands/stop.js';
import { blockHashOf } from '../../src/core/block-hash.js';
import { fromHex, toBase64Url } from '../../src/core/bytes.js';
import { decodeHeader, type HeaderFields } from '../../src/core/header.js';
import { SILENT } from '../../src/core/log.js';
import { NodeClient } from '../../src/node/client.js';
import type { Summary } from '../../src/web/summary.js';
import { temporaryFolder } from './folder.js';
import { freePorts } from './ports.js';
import { createDatabase, startTestPostgres } from './postgres.js';
import { type Program, startProgram } from './program.js';
import { assertCalm, showRate } from './request-rate.js';
import { openTap } from './tap.js';
import { until } from './until.js';
import { WireRig } from './wire-rig.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const ANY = '127.0.0.1:0';
const CHAINS = 2;
const FRESH_WITHIN_MS = 2_000;
/** After its first fresh job a bridge is watched for so long. */
const WATCH_MS = 1_500;
/** A job may have been on its way while its parent was still the head. */
const ON_THE_WAY_MS = 1_000;

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
  const nodes = ports.map((port) => startNode(port, ports, folder.path));
  open.add('nodes', async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))));
  await Promise.all(nodes.map((node) => node.ready()));
  const taps = await Promise.all(ports.map((port) => openTap(port)));
  for (const tap of taps) use('tap', tap);
  const startedAtMs = performance.now();
  const bridge = use(
    'bridge',
    startProgram(
      [
        ...['serve', ...taps.flatMap(({ url }) => ['--node', url])],
        ...['--account', ACCOUNT, '--data-dir', folder.path, '--database-url', databaseUrl],
        ...['--chains', `${CHAINS}`, '--cpu', 'off', '--share-difficulty', '100000'],
        ...['--tcp', ANY, '--ws', 'off', '--web', ANY],
      ],
      env,
    ),
  );
  const { tcp, web } = await bridge.ready();
  use('rig', startProgram(['rig', '--url', `tcp://${tcp}`, '--user', `${ACCOUNT}.miner`, '--threads', '1']));
  const watcher = await WireRig.connect('tcp', Number(String(tcp).split(':')[1]));
  open.add('watcher', async () => watcher.vanish());
  await watcher.request(1, 'mining.subscribe', ['watcher/1', null]);
  await watcher.request(2, 'mining.authorize', [`${ACCOUNT}.watcher`, 'x']);
  const clients = await Promise.all(ports.map((port) => NodeClient.connect(`http://127.0.0.1:${port}`)));
  open.add('clients', async () => void (await Promise.all(clients.map((client) => client.close()))));

  const summary = async (): Promise<Summary> =>
    (await fetch(`${web}/api/v1/summary`)).json() as Promise<Summary>;
  const jobs = (): HeaderFields[] =>
    watcher
      .notices('mining.notify')
      .map(({ params }) => decodeHeader(fromHex(String(params?.[1])) ?? assert.fail()));
  const headsOf = async (index: number): Promise<Map<number, { hash: string; height: number }>> => {
    const { hashes } = await (clients[index] ?? assert.fail()).maintenance.cut();
    return new Map(Object.entries(hashes).map(([chainId, head]) => [Number(chainId), head]));
  };
  const isFresh = async (index: number): Promise<boolean> => {
    const job = jobs().at(-1);
    return job !== undefined && (await headsOf(index)).get(job.chainId)?.hash === toBase64Url(job.parent);
  };
  const height = async (index: number): Promise<number> =>
    (await (clients[index] ?? assert.fail()).maintenance.cut()).height;

  /** Every job of the next while extends what was a head when it was fetched. */
  const getsNoDeadWork = async (index: number): Promise<void> => {
    /** When a block was the head of its chain last. */
    const seenAtMs = new Map<string, number>();
    /** The same by chain and height, for heads that came and went between two looks. */
    const passedAtMs = new Map<string, number>();
    const heights = new Map<number, number>();
    const arrivedAtMs: number[] = [];
    const first = jobs().length;
    for (const untilMs = performance.now() + WATCH_MS; performance.now() < untilMs; await sleep(20)) {
      for (const [chainId, { hash, height }] of await headsOf(index)) {
        seenAtMs.set(hash, performance.now());
        for (let passed = (heights.get(chainId) ?? height) + 1; passed < height; passed++)
          passedAtMs.set(`${chainId} ${passed}`, performance.now());
        heights.set(chainId, height);
      }
      while (first + arrivedAtMs.length < jobs().length) arrivedAtMs.push(performance.now());
    }
    for (const [i, { parent, chainId, height }] of jobs().slice(first).entries()) {
      const wasHeadAtMs = seenAtMs.get(toBase64Url(parent)) ?? passedAtMs.get(`${chainId} ${height - 1}`);
      const lateMs = (arrivedAtMs[i] ?? performance.now()) - (wasHeadAtMs ?? 0);
      assert.ok(lateMs < ON_THE_WAY_MS, `a job of dead work: chain ${chainId}, height ${height}`);
    }
  };
  const query = async <T extends object>(text: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    return (await client.query<T>(text).finally(() => client.end())).rows;
  };
  /** None is given up, and what a node is said to have taken is among its blocks. */
  const losesNoSolution = async (): Promise<void> => {
    const rows = await query<{ state: string; header: Buffer; chain: number; node: string; detail: string }>(
      'SELECT state, header, chain_id AS chain, node, detail FROM stratum_bridge.solution',
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
  await until('blocks of the rig', async () => (await summary()).solutions.accepted > 2, 30_000);

  return {
    taps,
    tap: taps[0] ?? assert.fail(),
    bridge,
    summary,
    state: async (index = 0) => (await summary()).nodes[index]?.state,
    active: async () => (await summary()).nodes.findIndex(({ isActive }) => isActive),
    /** As `kill -9`, and started again on its blocks after a while. */
    async restartNode(index: number, afterMs: number): Promise<void> {
      const node = nodes[index] ?? assert.fail();
      down.add(index);
      node.kill('SIGKILL');
      await node.ended;
      await sleep(afterMs);
      nodes[index] = startNode(ports[index] ?? 0, ports, folder.path);
      await nodes[index]?.ready();
      down.delete(index);
    },
    /** A node of another network; to be disposed of. */
    foreignNode: () => startProgram(['node', '--mining', '--listen', ANY, '--network', 'testnet04']),
    /** To be asked as soon as a fault is over: what must hold then, of the node that rigs work for. */
    async isWell(index = 0): Promise<void> {
      await until('a fresh job, soon after the fault', () => isFresh(index), FRESH_WITHIN_MS);
      await getsNoDeadWork(index);
      const before = await height(index);
      await until('a block', async () => (await height(index)) > before);
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

function startNode(port: number, ports: readonly number[], folder: string): Program {
  const peers = ports.filter((other) => other !== port);
  return startProgram([
    ...['node', '--mining', '--listen', `127.0.0.1:${port}`, '--data-dir', `${folder}/node-${port}`],
    ...['--genesis-difficulty', '2000000', '--block-delay-ms', '2000'],
    ...peers.flatMap((peer) => ['--peer', `http://127.0.0.1:${peer}`]),
  ]);
}
