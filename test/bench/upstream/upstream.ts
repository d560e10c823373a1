/**
 * From the node to the rigs and back: New Cut to job, a solution to its node, a switch to another node, and how much a
 * node is asked. Node, bridge and taps share one process, the rigs are another, so delays hold the node's own work too.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { viewOf } from '../../../src/core/bytes/bytes.js';
import type { Solution } from '../../../src/core/shares/share.js';
import { NONCE_OFFSET } from '../../../src/core/work/header.js';
import type { Work } from '../../../src/core/work/work.js';
import { type Story, type StoryOptions, startStory } from '../../helpers/stories/upstream-story.js';
import { until } from '../../helpers/until.js';
import { Peer } from '../stratum/stratum-subject.js';
import { benchCutsInARow } from './cuts-in-a-row.js';
import { benchOneRig } from './one-rig.js';
import { whenWritten } from './when-written.js';

/** The first of them warm the code up. */
const BLOCKS = 40;
const COLD_BLOCKS = 8;
/** Of the p99 with 10,000 rigs. */
const FAN_OUT_BAR = 1.2;
/** Submits of all rigs together while solutions are timed: a share in five seconds from each of 10,000. */
const SUBMITS_PER_SECOND = 2_000;
const SUBMIT_MS = 60_000;
/** So that a block is found about every half second. */
const HASHES_PER_BLOCK = 1_000;
/** Long enough to see works renewed by the timer. */
const REST_MS = 60_000;
/** Twenty chains with a block in 30 s each. */
const MAINNET_BLOCK_MS = 1_500;
/** What a bridge waits for in earnest. */
const EARNEST: NonNullable<StoryOptions['timings']> = {
  refreshMs: 30_000,
  silenceMs: 150_000,
  probeMs: 5_000,
  workTimeoutMs: 2_000,
  seekMs: 1_000,
};

export async function benchUpstream(sessions: readonly number[] = [1, 1_000, 10_000]): Promise<void> {
  await benchOneRig();
  await benchCutsInARow();
  for (const count of sessions) await compareFanOut(count);
  for (const yields of [true, false]) await solutionDelays(Math.max(...sessions), yields);
  say('node cut off to job of the next node written', await switchDelays());
  await requestsPerMinute();
}

/** New Cut heard to clean job written to the last session, beside a bare `ws` loop over as many connections. */
async function compareFanOut(count: number): Promise<void> {
  await using bare = await Peer.start('bare');
  await using bareLoad = await Peer.start('load');
  await bareLoad.call('open', await bare.call<number>('port'), count, 'bare');
  await using load = await Peer.start('load');
  await using story = await storyWith(count, load, { chains: 1 });
  const bareMs: number[] = [];
  const bridgeMs: number[] = [];
  // They take turns, so that other load on the machine takes from both alike.
  for (let block = 0; block < BLOCKS; block++) {
    const [loop, job] = [await bareLoop(bare, block), await newCut(story)];
    if (block < COLD_BLOCKS) continue;
    bareMs.push(loop);
    bridgeMs.push(job);
  }
  say(`bare ws loop over ${count}`, bareMs);
  say(`New Cut heard to job written to ${count}`, bridgeMs);
  const ratio = quantile(bridgeMs, 0.99) / quantile(bareMs, 0.99);
  const word = ratio <= FAN_OUT_BAR ? '' : ': **missed**';
  const bar = count >= 10_000 ? `, bar: at most ${FAN_OUT_BAR}${word}` : '';
  process.stdout.write(`p99 of the bridge to that of the bare loop: ${ratio.toFixed(2)}${bar}\n`);
}

async function bareLoop(bare: Peer, number: number): Promise<number> {
  const { startedNs, writtenNs } = await bare.call<{ startedNs: number; writtenNs: number }>(
    'fanOut',
    number,
  );
  await sleep(300);
  return (writtenNs - startedNs) / 1e6;
}

/** A block of somebody else: all sessions have fresh work when the last of what it led to is written. */
async function newCut(story: Story): Promise<number> {
  let lastMs = 0;
  const seen = (delayMs: number): void => {
    lastMs = Math.max(lastMs, delayMs);
  };
  const sent = (_job: unknown, delayMs: number): void => seen(delayMs);
  story.events.on('jobSent', sent);
  story.events.on('chainsRetired', sent);
  const job = await story.freshJob();
  await story.rivalBlock(job.work.chainId);
  await until('the next job', () => story.newestJob() !== job);
  await sleep(300);
  story.events.off('jobSent', sent);
  story.events.off('chainsRetired', sent);
  return lastMs;
}

/**
 * From the verdict to the last byte written to the node, while all rigs submit and jobs go out to them. Rigs have
 * machines of their own, so their process is to yield; where it does not, it takes the core away in the middle of it.
 */
async function solutionDelays(count: number, yields: boolean): Promise<void> {
  await using load = await Peer.start('load', {}, yields);
  const nodes = [{ genesisDifficulty: HASHES_PER_BLOCK, difficultyWindow: 1_000 }];
  await using story = await storyWith(count, load, { nodes, chains: 1, shareDifficulty: 1n });
  const times = new SolutionTimes(story);
  const job = await story.freshJob();
  const answers = await load.call<number>('mine', job.id, SUBMITS_PER_SECOND, SUBMIT_MS);
  const { delaysMs, missed } = times.end();
  const rigs = yields ? 'rigs give way' : 'rigs compete for the cores';
  const under = `${count} sessions, ${answers.toFixed(0)} submits/s, ${rigs}`;
  say(`solution judged to written to its node, ${under}`, delaysMs);
  const bar = yields ? '; bar: p99 at most 2 ms' : '';
  process.stdout.write(`solutions that found no open connection: ${missed}${bar}\n`);
}

/** When each solution was judged, and when its last byte was handed to the operating system on the open connection. */
class SolutionTimes {
  readonly #delaysMs: number[] = [];
  /** One that waited for the answer to another of its work waited by design. */
  readonly #settledAtMs = new WeakMap<Work, number>();
  readonly #writtenAtMs = new Map<bigint, number>();
  /** While its request is made; what begins later found no open connection. */
  #posting: bigint | undefined;
  #missed = 0;

  constructor(story: Story) {
    const post = story.upstream.postSolution.bind(story.upstream);
    story.upstream.postSolution = (node, header) => {
      this.#posting = viewOf(header).getBigUint64(NONCE_OFFSET, true);
      const posted = post(node, header);
      this.#posting = undefined;
      return posted;
    };
    subscribe('http.client.request.start', this.#started);
    story.events.on('solutionSettled', (solution) => this.#settled(solution));
  }

  end(): { delaysMs: number[]; missed: number } {
    unsubscribe('http.client.request.start', this.#started);
    return { delaysMs: this.#delaysMs, missed: this.#missed };
  }

  readonly #started = (message: unknown): void => {
    const nonce = this.#posting;
    const { request } = message as { request: ClientRequest };
    if (nonce === undefined || !request.path.endsWith('/mining/solved')) return;
    whenWritten(request, () => this.#writtenAtMs.set(nonce, performance.now()));
  };

  #settled({ job, nonce, foundAtMs }: Solution): void {
    const hasWaited = foundAtMs < (this.#settledAtMs.get(job.work) ?? 0);
    this.#settledAtMs.set(job.work, performance.now());
    const writtenAtMs = this.#writtenAtMs.get(nonce);
    if (hasWaited) return;
    if (writtenAtMs === undefined) this.#missed++;
    else this.#delaysMs.push(writtenAtMs - foundAtMs);
  }
}

async function storyWith(count: number, load: Peer, options: StoryOptions): Promise<Story> {
  const story = await startStory({ timings: EARNEST, ...options });
  const port = story.server.addresses['ws']?.port;
  if (count > 1) await load.call('open', port, count - 1, 'ready');
  return story;
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
  await countRequests(story, '20 chains at rest', () => sleep(REST_MS));
  await countRequests(story, `20 chains and a block every ${MAINNET_BLOCK_MS} ms`, async () => {
    for (let block = 0; block < REST_MS / MAINNET_BLOCK_MS; block++) {
      const turn = sleep(MAINNET_BLOCK_MS);
      await story.rivalBlock(lowest(story.node.cut().heights));
      await turn;
    }
  });
}

/** As the tap saw them, over a full minute: works, streams, probes, and what keeps connections open. */
async function countRequests(story: Story, when: string, during: () => Promise<void>): Promise<void> {
  const [before, startedAtMs] = [story.tap.requests.length, performance.now()];
  await during();
  const asked = story.tap.requests.slice(before);
  const minutes = (performance.now() - startedAtMs) / 60_000;
  const per = (end: string): string =>
    (asked.filter((path) => path.replace(/\?.*/, '').endsWith(end)).length / minutes).toFixed(0);
  const all = (asked.length / minutes).toFixed(0);
  process.stdout.write(
    `requests a minute, ${when}: ${all} (work ${per('/work')}, streams ${per('/updates')}, cut ${per('/cut')})\n`,
  );
}

function lowest(heights: Readonly<Record<number, number>>): number {
  return Number(Object.entries(heights).sort(([, a], [, b]) => a - b)[0]?.[0] ?? 0);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

function say(what: string, delaysMs: readonly number[]): void {
  const at = (part: number): string => quantile(delaysMs, part).toFixed(2);
  process.stdout.write(`${what}: p50 ${at(0.5)}, p99 ${at(0.99)} ms (${delaysMs.length} times)\n`);
}
