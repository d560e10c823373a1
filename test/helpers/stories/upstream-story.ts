/**
 * A whole bridge but for the books, between development nodes (each behind a tap) and a real rig over WebSocket. A test
 * tells what happens to it; `isWell` says that it came through.
 */
import assert from 'node:assert/strict';
import { DeadWorks } from '../../../src/bridge/dead-works.js';
import { Dispatcher } from '../../../src/bridge/dispatcher.js';
import { createBridgeEvents, type NodeReport } from '../../../src/bridge/events.js';
import { JobRoller } from '../../../src/bridge/job-roller.js';
import { createJudge } from '../../../src/bridge/judge.js';
import { SolutionSender } from '../../../src/bridge/solution-sender.js';
import { NodeError } from '../../../src/chain/errors.js';
import { type Job, JobBook } from '../../../src/core/jobs/job.js';
import { type Nonce1, NonceSpace, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import type { Log } from '../../../src/core/names/log.js';
import { hashSubmit } from '../../../src/core/shares/share.js';
import { withNonce } from '../../../src/core/work/header.js';
import { type DevNode, type DevNodeOptions, startDevNode } from '../../../src/devnode/dev-node.js';
import { NodeClient } from '../../../src/node-client/client.js';
import type { ShareDifficulty } from '../../../src/stratum/resume/share-target.js';
import { startStratumServer } from '../../../src/stratum/server.js';
import { Upstream, type UpstreamOptions, type UpstreamTimings } from '../../../src/upstream/upstream.js';
import { logBy } from '../rigs/shares.js';
import { WireRig } from '../rigs/wire-rig.js';
import { PATIENCE_MS, until } from '../until.js';
import { StoryVerdict } from './story-verdict.js';
import { mine, TCP_PORT, WS_PORT } from './stratum-bridge.js';
import { openTap, type Tap } from './tap.js';

const MINER = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const RIVAL = { account: 'k:bb', predicate: 'keys-all', publicKeys: ['bb'] } as const;
export const ANY_PORT = { host: '127.0.0.1', port: 0 };
/** Blocks take a few hashes and stay that easy. */
export const EASY = { genesisDifficulty: 4, blockDelay: 0.001 };
/** Short enough for a test to see them pass; how soon a node is asked again after a failure is as it is in earnest. */
const TIMINGS: Partial<UpstreamTimings> = {
  refreshMs: 2_000,
  silenceMs: 5_000,
  probeMs: 500,
  // Node, bridge and test share one thread here, which may be held up.
  probeTimeoutMs: 1_500,
  failbackAfterMs: 500,
};

export interface StoryOptions {
  readonly nodes?: readonly DevNodeOptions[];
  readonly chains?: number;
  readonly timings?: Partial<UpstreamTimings>;
  readonly upstream?: Partial<UpstreamOptions>;
  /** By default the block's: rigs submit nothing but solutions. */
  readonly shareDifficulty?: ShareDifficulty;
  /** By default the tap's. */
  readonly urlOf?: (tap: Tap) => string;
}

export type Story = Awaited<ReturnType<typeof startStory>>;

export async function startStory(options: StoryOptions = {}) {
  const nodes = await Promise.all((options.nodes ?? [{}]).map((one) => startDevNode({ ...EASY, ...one })));
  const taps = await Promise.all(nodes.map((node) => openTap(node.address.port)));
  const urls = taps.map(options.urlOf ?? ((tap) => tap.url));
  const events = createBridgeEvents();
  const book = new JobBook(1, undefined, 0);
  const clock = { nowMs: () => performance.now() };
  const warnings: string[] = [];
  const warn = (_fields: object, message: string): void => void warnings.push(message);
  const log: Log = { debug() {}, info() {}, warn, error: warn };
  const [roller, deadWorks] = [new JobRoller(book, clock), new DeadWorks()];
  const dispatcher = new Dispatcher(book, events, {
    handedOut: (work, node) => deadWorks.handedOut(work, node),
  });
  const upstream = new Upstream({
    urls,
    miner: MINER,
    forkEpoch: 14_400,
    deadAfterMs: 120_000,
    isKnownPublic: () => false,
    sink: dispatcher,
    events,
    log,
    random: Math.random,
    timings: { ...TIMINGS, ...options.timings },
    ...options.upstream,
  });
  const reports: NodeReport[] = [];
  events.on('node', (report) => reports.push(report));
  const sender = new SolutionSender({
    sink: upstream,
    solutions: { recordSolution: async () => undefined },
    isLive: ({ id }) => book.find(id).state === 'live',
    deadWorks,
    source: upstream,
    events,
    log,
    untilReachedMs: (job) => roller.untilReachedMs(job),
  });
  const judge = createJudge({
    book,
    shares: logBy(async () => undefined),
    sendSolution: (solution) => sender.send(solution),
    clock,
  });
  let sessions = 0;
  const server = await startStratumServer({
    listeners: [TCP_PORT, WS_PORT],
    judge,
    nonceSpace: new NonceSpace(0),
    jobs: roller,
    clock,
    events,
    log,
    nextSessionId: () => ++sessions,
    shareDifficulty: options.shareDifficulty ?? 'block',
    limits: { messagesPerSecond: 10_000, messageBurst: 10_000, connectionsPerAddress: 20_000 },
  });
  dispatcher.addSink(roller);
  dispatcher.addSink(server.jobs);
  upstream.workOn(options.chains ?? 1);
  upstream.start();
  const rig = await WireRig.connect('ws', server.addresses['ws']?.port ?? 0);
  const { result } = await rig.request(1, 'mining.subscribe', ['story/1', null]);
  await rig.request(2, 'mining.authorize', ['a.r', 'x']);
  const nonce1 = nonce1FromHex(String((result as string[])[1])) as Nonce1;

  let requestId = 10;
  /** Where the rig's search begins, so that it finds another nonce each time. */
  let tried = 0;
  /** The job that the rig was sent last. */
  const newestJob = (): Job | undefined => {
    const id = rig.notices('mining.notify').at(-1)?.params?.[0];
    return book.find(String(id)).job;
  };
  const [firstNode = assert.fail(), firstTap = assert.fail()] = [nodes[0], taps[0]];
  /** The rig solves a job; resolves with the bridge's answer. */
  const solve = async (job: Job): Promise<unknown> => {
    tried += 10_000;
    const params = ['a.r', job.id, mine(job, nonce1, job.blockTarget, true, tried)];
    return (await rig.request(++requestId, 'mining.submit', params)).result;
  };
  const verdict = new StoryVerdict({
    rig,
    book,
    events,
    taps,
    chains: options.chains ?? 1,
    nodeOf: ({ node }) => nodes[urls.indexOf(node)],
    newestJob,
    solve,
  });
  /** The rig's newest job, once it extends the node's cut. */
  const freshJob = (node = firstNode): Promise<Job> =>
    until('the rig has a job that extends the cut of its node', () => {
      const job = newestJob();
      return verdict.isFresh(job, node) ? job : undefined;
    });

  await freshJob();
  return {
    nodes,
    taps,
    book,
    judge,
    nonce1,
    server,
    rig,
    reports,
    warnings,
    events,
    upstream,
    newestJob,
    freshJob,
    solve,
    /** The last words on solutions, in order. */
    settled: verdict.words,
    /** The rig's newest job extends the node's cut. */
    isFresh: (node = nodes[0] ?? firstNode) => verdict.isFresh(newestJob(), node),
    /** The fault is over, and the bridge is as good as new. */
    isWell: (node = nodes[0] ?? firstNode) => verdict.isWell(node),
    node: firstNode,
    tap: firstTap,
    state: (index = 0) => upstream.reports[index]?.state,
    reason: (index = 0) => upstream.reports[index]?.reason ?? '',
    /** Somebody else makes a block on this chain, past the tap. */
    rivalBlock: (chainId: number, node = firstNode) => rivalBlock(node, chainId),
    async [Symbol.asyncDispose]() {
      process.stdout.write(`${verdict.rates()}\n`);
      for (const tap of taps) tap.heal();
      rig.vanish();
      await server.close();
      await upstream.close();
      await sender.close(0);
      await Promise.all(taps.map((tap) => tap[Symbol.asyncDispose]()));
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
}

/** Makes a block on this chain, or on those that it waits for first. */
export async function rivalBlock(node: DevNode, chainId: number): Promise<void> {
  const client = await NodeClient.connect({ nodes: node.url });
  const before = node.cut().heights[chainId] ?? 0;
  try {
    await until(`a rival's block on chain ${chainId}`, async () => {
      const work = await client.work({ miner: RIVAL, chainId, timeoutMs: PATIENCE_MS });
      const job = new JobBook(1).add(work, '');
      let nonce = 0n;
      while (!hashSubmit(job, nonce).solves) nonce++;
      await client.solved(withNonce(work.header, nonce)).catch((error: unknown) => {
        if (!(error instanceof NodeError)) throw error; // somebody was faster
      });
      return (node.cut().heights[chainId] ?? 0) > before;
    });
  } finally {
    await client.close();
  }
}
