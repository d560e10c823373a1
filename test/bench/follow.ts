/**
 * What following twenty chains of a public network takes: from a node, the database and the processor while there is little to do, and how
 * soon a bridge that was away for a day has caught up, with rigs that it serves meanwhile.
 */

import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { SILENT } from '../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { startTestPostgres } from '../helpers/books/postgres.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { temporaryFolder } from '../helpers/folder.js';
import { makeSolution } from '../helpers/rigs/solutions.js';
import { until } from '../helpers/until.js';
import { CHAINS, type ChainsOptions, type FollowingOptions, type Usage } from './follow-peers.js';
import { Peer, type Quantiles, quantiles } from './stratum/stratum-subject.js';

/** Of a public network. */
const DEPTH = 60;
const RIGS = 20;
const IDLE_MS = 10_000;
const PACE_MS = 2_000;
const MOST_S = 3_600;
/** At rest: statements and questions a second, and the part of a core. */
const MOST_ASKED = 3;
const MOST_OF_A_CORE = 0.01;
/** 57,600 in 10 minutes. */
const LEAST_BLOCKS = 96;
const MOST_ANSWER_MS = 5;

export interface FollowBench {
  readonly atRest: {
    readonly seconds: number;
    /** That were taken over meanwhile. */
    readonly blocks: number;
    readonly questionsPerSecond: number;
    readonly statementsPerSecond: number;
    readonly ofACore: number;
  };
  readonly behind: {
    readonly blocks: number;
    readonly blocksPerSecond: number;
    readonly usage: Usage;
    /** Of rigs, before it followed and while it caught up. */
    readonly answerMs: { readonly idle: Quantiles; readonly meanwhile: Quantiles };
  };
}

/** @param blocks of each chain that are to be caught up with. @param seconds that it is watched at rest. */
export async function benchFollow({
  blocks = Number(process.env['BENCH_BLOCKS'] ?? 2_880),
  seconds = Number(process.env['BENCH_SECONDS'] ?? 60),
} = {}): Promise<FollowBench> {
  const bench = {
    atRest: await inWorld({ height: DEPTH + 1, withRigs: false }, (world) => rest(world, seconds)),
    behind: await inWorld({ height: 1 + blocks + DEPTH, withRigs: true }, (world) => catchUp(world, blocks)),
  };
  report(bench);
  return bench;
}

interface World {
  readonly ledger: Ledger;
  readonly node: Peer;
  readonly bridge: Peer;
}

async function inWorld<T>(
  { height, withRigs }: Pick<ChainsOptions, 'height'> & Pick<FollowingOptions, 'withRigs'>,
  act: (world: World) => Promise<T>,
): Promise<T> {
  await using folder = await temporaryFolder();
  // It gives way: nodes have machines of their own.
  const options: ChainsOptions = { dataDir: folder.path, height };
  await using node = await Peer.start('chainsNode', options, true);
  await using postgres = await startTestPostgres();
  const databaseUrl = postgres.connectionString;
  const ledger = await openLedger({ connectionString: databaseUrl, log: SILENT });
  try {
    const nodeUrl = await node.call<string>('url');
    const given: FollowingOptions = { databaseUrl, nodeUrl, withRigs };
    await using bridge = await Peer.start('followingBridge', given);
    return await act({ ledger, node, bridge });
  } finally {
    await ledger.close();
  }
}

async function rest({ ledger, node, bridge }: World, seconds: number): Promise<FollowBench['atRest']> {
  await bridge.call('follow');
  await reached(ledger, 1);
  await node.call('goOn');
  const before = await afterTurn(ledger);
  await bridge.call('usage');
  await pause(seconds * 1000);
  const blocks = (await afterTurn(ledger)) - before;
  const used = await bridge.call<Usage>('usage');
  return {
    ...{ seconds: used.seconds, blocks },
    questionsPerSecond: used.questions / used.seconds,
    statementsPerSecond: used.statements / used.seconds,
    ofACore: used.processorMs / used.seconds / 1000,
  };
}

async function catchUp({ ledger, bridge }: World, blocks: number): Promise<FollowBench['behind']> {
  // Found long ago, and never settled: it begins below them, with block 1.
  for (let chainId = 0; chainId < CHAINS; chainId++)
    await recordSolution(ledger, makeSolution({}, { chainId, height: 2 }), 'received', '');
  await using rigs = await Peer.start('load');
  await rigs.call('open', await bridge.call('port'), RIGS, 'ready');
  const [jobId] = await bridge.call<string[]>('jobIds');
  const pace = (forMs: number) => rigs.call<number[]>('pace', jobId, forMs);
  await pace(PACE_MS);
  const idle = quantiles(await pace(IDLE_MS));
  await bridge.call('watchTurns');
  await bridge.call('usage');
  await bridge.call('follow');
  const from = performance.now();
  let secondsTaken: number | undefined;
  const caughtUp = reached(ledger, 1 + blocks).finally(() => {
    secondsTaken = (performance.now() - from) / 1000;
  });
  const waits: number[] = [];
  while (secondsTaken === undefined) waits.push(...(await pace(PACE_MS)));
  await caughtUp;
  const usage = await bridge.call<Usage>('usage');
  return {
    blocks: CHAINS * blocks,
    blocksPerSecond: (CHAINS * blocks) / secondsTaken,
    usage,
    answerMs: { idle, meanwhile: quantiles(waits) },
  };
}

/** Until all chains were followed up to there. */
async function reached({ pool }: Ledger, height: number): Promise<void> {
  const look = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ chains: number }>(
      'SELECT count(*)::int AS chains FROM (SELECT FROM chain_block GROUP BY chain_id HAVING max(height) >= $1) c',
      [height],
    );
    return rows[0]?.chains === CHAINS;
  };
  await until(`all chains are followed up to height ${height}`, look, MOST_S * 1000);
}

/** After a look at all chains that brought some. */
async function afterTurn(ledger: Ledger): Promise<number> {
  const before = await takenOver(ledger);
  await until('it goes on', async () => (await takenOver(ledger)) > before);
  await pause(1_000);
  return takenOver(ledger);
}

/** Blocks of all chains, with those that each began with. */
async function takenOver({ pool }: Ledger): Promise<number> {
  const { rows } = await pool.query<{ blocks: number }>('SELECT count(*)::int AS blocks FROM chain_block');
  return rows[0]?.blocks ?? 0;
}

function report(bench: FollowBench): void {
  const { atRest, behind } = bench;
  const { usage, answerMs } = behind;
  const { idle, meanwhile } = answerMs;
  const missed = (isMissed: boolean, bar: string): string => (isMissed ? `**missed** (bar ${bar})` : bar);
  const asked = (perSecond: number): string =>
    `${perSecond.toFixed(2)} | ${missed(perSecond > MOST_ASKED, String(MOST_ASKED))}`;
  process.stdout.write(`${CHAINS} chains at a block each 30 s, depth ${DEPTH}; ${behind.blocks} blocks behind, ${RIGS} rigs at the same process

| what | measured | bar |
| --- | --- | --- |
| at rest, ${atRest.blocks} blocks in ${atRest.seconds.toFixed(0)} s: statements a second | ${asked(atRest.statementsPerSecond)} |
| questions to the node a second | ${asked(atRest.questionsPerSecond)} |
| of a core | ${(100 * atRest.ofACore).toFixed(2)} % | ${missed(atRest.ofACore > MOST_OF_A_CORE, '1 %')} |
| behind: caught up, s | ${(behind.blocks / behind.blocksPerSecond).toFixed(0)} | |
| blocks a second | ${behind.blocksPerSecond.toFixed(0)} | ${missed(behind.blocksPerSecond < LEAST_BLOCKS, String(LEAST_BLOCKS))} |
| of a core, rigs and all | ${(usage.processorMs / usage.seconds / 10).toFixed(0)} % | |
| longest turn of the loop, ms of the processor | ${usage.heldMs.toFixed(1)} | |
| longest delay of the loop, ms | ${usage.delayMs.toFixed(1)} | |
| most memory, MB | ${usage.megabytes.toFixed(0)} | |
| a rig's answer before, p50 / p99, ms | ${idle.p50.toFixed(2)} / ${idle.p99.toFixed(2)} | |
| meanwhile, p50 / p99, ms | ${meanwhile.p50.toFixed(2)} / ${meanwhile.p99.toFixed(2)} | ${missed(meanwhile.p99 > MOST_ANSWER_MS, `${MOST_ANSWER_MS} ms`)} |
| p99 meanwhile, of that before | ${(meanwhile.p99 / idle.p99).toFixed(1)} | |
`);
  process.stdout.write(`${JSON.stringify({ bench: 'follow', ...bench })}\n`);
}
