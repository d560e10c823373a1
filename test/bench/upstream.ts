/**
 * From the node to the rigs and back: New Cut to job, a solution to its node, a switch to another node, and how much a
 * node is asked. Node, bridge and taps share one process, the rigs are another, so delays hold the node's own work too.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { nonce2FromNumber } from '../../src/core/nonce.js';
import { mine } from '../helpers/stratum-bridge.js';
import { until } from '../helpers/until.js';
import { type Story, startStory } from '../helpers/upstream-story.js';
import { Peer } from './stratum.js';

const BLOCKS = 25;
const SOLUTIONS = 40;
/** Long enough to see works renewed by the timer. */
const REST_MS = 60_000;
/** Twenty chains with a block in 30 s each. */
const MAINNET_BLOCK_MS = 1_500;
/** What a bridge waits for in earnest. */
const EARNEST = {
  refreshMs: 30_000,
  silenceMs: 150_000,
  probeMs: 5_000,
  workTimeoutMs: 2_000,
  seekMs: 1_000,
};

export async function benchUpstream(sessions: readonly number[] = [1, 1_000, 10_000]): Promise<void> {
  for (const count of sessions) {
    await using load = await Peer.start('load');
    await using story = await startStory({ chains: 1, timings: EARNEST });
    const port = story.server.addresses.ws?.port;
    if (count > 1) await load.call('open', port, count - 1, 'stratum');
    say(`New Cut heard to job written to ${count} sessions`, await newCutDelays(story), 'ms');
    if (count === Math.max(...sessions)) {
      say(`solution judged to written to its node, ${count} sessions`, await solutionDelays(story), 'ms');
    }
  }
  say('node cut off to job of the next node written', await switchDelays(), 'ms');
  await requestsPerMinute();
}

async function newCutDelays(story: Story): Promise<number[]> {
  const delays: number[] = [];
  story.events.on('jobSent', (job, delayMs) => job.clean && delays.push(delayMs));
  story.events.on('chainsRetired', (_chainIds, delayMs) => delays.push(delayMs));
  for (let block = 0; block < BLOCKS; block++) {
    const job = await story.freshJob();
    await story.rivalBlock(job.work.chainId);
    await until('the next job', () => story.newestJob() !== job);
  }
  return delays.slice(5);
}

/** From the judge's call to undici's writing of the request, while jobs go out to all. */
async function solutionDelays(story: Story): Promise<number[]> {
  const delays: number[] = [];
  let judgedAtMs = 0;
  const written = (message: unknown): void => {
    const { request } = message as { request: { path: string } };
    if (request.path.endsWith('/mining/solved') && judgedAtMs > 0)
      delays.push(performance.now() - judgedAtMs);
  };
  subscribe('undici:client:sendHeaders', written);
  for (let i = 0; i < SOLUTIONS; i++) {
    const job = await story.freshJob();
    const nonce2 = nonce2FromNumber(Number.parseInt(mine(job, story.nonce1, job.blockTarget), 16));
    const { nonce1 } = story;
    judgedAtMs = performance.now();
    await story.judge.judge({
      jobId: job.id,
      nonce1,
      nonce2,
      account: 'a',
      rig: 'r',
      shareTargetOf: ({ blockTarget }) => blockTarget,
    });
    await until('the post', () => delays.length > i);
    judgedAtMs = 0;
    await until('the next job', () => story.newestJob() !== job);
  }
  unsubscribe('undici:client:sendHeaders', written);
  return delays;
}

async function switchDelays(): Promise<number[]> {
  const delays: number[] = [];
  for (let i = 0; i < 10; i++) {
    await using story = await startStory({ nodes: [{}, {}], chains: 4 });
    await until('both stand ready', () => story.upstream.reports.every(({ chains }) => chains === 4));
    const cutAtMs = performance.now();
    const jobs = story.rig.notices('mining.notify').length;
    story.tap.set({ refuses: true });
    await until('the job', () => story.rig.notices('mining.notify').length > jobs);
    delays.push(performance.now() - cutAtMs);
  }
  return delays;
}

async function requestsPerMinute(): Promise<void> {
  await using story = await startStory({ nodes: [{ graph: 'twenty' }], chains: 20, timings: EARNEST });
  await until('twenty chains', () => story.upstream.reports[0]?.chains === 20);
  await sleep(2_000);
  const asked = async (during: () => Promise<void>): Promise<string> => {
    const [before, startedAtMs] = [story.tap.requests.length, performance.now()];
    await during();
    const minutes = (performance.now() - startedAtMs) / 60_000;
    return ((story.tap.requests.length - before) / minutes).toFixed(0);
  };
  const atRest = await asked(() => sleep(REST_MS));
  process.stdout.write(`requests a minute, 20 chains at rest: ${atRest}\n`);
  const underWay = await asked(async () => {
    for (let block = 0; block < REST_MS / MAINNET_BLOCK_MS; block++) {
      const turn = sleep(MAINNET_BLOCK_MS);
      await story.rivalBlock(lowest(story.node.cut().heights));
      await turn;
    }
  });
  process.stdout.write(
    `requests a minute, 20 chains and a block every ${MAINNET_BLOCK_MS} ms: ${underWay}\n`,
  );
}

function lowest(heights: Readonly<Record<number, number>>): number {
  return Number(Object.entries(heights).sort(([, a], [, b]) => a - b)[0]?.[0] ?? 0);
}

function say(what: string, values: number[], unit: string): void {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN).toFixed(1);
  process.stdout.write(`${what}: p50 ${at(0.5)}, p99 ${at(0.99)} ${unit} (${sorted.length} times)\n`);
}
