/** What must hold after every fault, looked at from outside the bridge. */
import assert from 'node:assert/strict';
import type { BridgeEvents } from '../../../src/bridge/events.js';
import { blockHashOf } from '../../../src/core/bytes/block-hash.js';
import { toBase64Url } from '../../../src/core/bytes/bytes.js';
import type { Job, JobBook } from '../../../src/core/jobs/job.js';
import type { Solution } from '../../../src/core/shares/share.js';
import type { Work } from '../../../src/core/work/work.js';
import type { DevNode } from '../../../src/devnode/dev-node.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { assertCalm, showRate } from '../rigs/request-rate.js';
import type { WireRig } from '../rigs/wire-rig.js';
import { until } from '../until.js';
import type { Tap } from './tap.js';

export interface VerdictParts {
  readonly rig: WireRig;
  readonly book: JobBook;
  readonly events: BridgeEvents;
  readonly taps: readonly Tap[];
  /** Chains that are worked on at the most. */
  readonly chains: number;
  /** The node that a job's work came from, as it is now. */
  nodeOf(job: Job): DevNode | undefined;
  newestJob(): Job | undefined;
  /** The rig solves a job. */
  solve(job: Job): Promise<unknown>;
}

export class StoryVerdict {
  readonly #parts: VerdictParts;
  readonly #startedAtMs = performance.now();
  /** Who handed a work out, as it was then. */
  readonly #giver = new WeakMap<Work, DevNode | undefined>();
  /** Solutions without a last word. */
  readonly #open = new Set<Solution>();
  /** Said to be taken, or perhaps taken, by these nodes. */
  readonly #taken = new Map<Solution, DevNode>();
  /** Not taken although the node could have. */
  readonly #lost: string[] = [];
  readonly #words: string[] = [];

  constructor(parts: VerdictParts) {
    this.#parts = parts;
    const { events, nodeOf } = parts;
    events.on('job', (job) => this.#giver.set(job.work, nodeOf(job)));
    events.on('solutionFound', (solution) => this.#open.add(solution));
    events.on('solutionSettled', (solution, state, detail) => {
      this.#words.push(`${state} ${detail}`.trim());
      this.#open.delete(solution);
      const node = this.#giver.get(solution.job.work);
      // What has been started anew since knows nothing of the work.
      if (!node || node !== nodeOf(solution.job)) return;
      if (state === 'received' || state === 'perhaps') this.#taken.set(solution, node);
      else if (extendsCut(solution.job, node)) this.#lost.push(`${state} ${detail}`);
    });
  }

  /** The last words on solutions, in order. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** The rig's newest job extends the node's cut. */
  isFresh(job: Job | undefined, node: DevNode): job is Job {
    return job !== undefined && extendsCut(job, node) && this.#parts.book.find(job.id).state === 'live';
  }

  /** To be asked as soon as a fault is over. */
  async isWell(node: DevNode): Promise<void> {
    const { rig, book, newestJob } = this.#parts;
    assert.equal(rig.closed, false, 'the rig is still connected');
    await until('a fresh job, soon after the fault', () => this.isFresh(newestJob(), node));
    await this.#makesBlock(node);
    const allLive = (): boolean => book.liveJobs.every((job) => extendsCut(job, node));
    await until('no job of dead work is live', allLive);
    const isOpen = ({ job }: Solution): boolean => this.#giver.get(job.work) === node;
    await until('the last word on each solution for this node', () => ![...this.#open].some(isOpen));
    assert.deepEqual(this.#lost, [], 'no solution is lost that a node could still take');
    await this.#areKnown();
    assert.equal(rig.closed, false, 'the rig is still connected');
    const { taps, chains } = this.#parts;
    for (const tap of taps) assertCalm(tap, this.#startedAtMs, chains);
  }

  /** How often each node was asked. */
  rates(): string {
    return this.#parts.taps.map((tap) => showRate(tap, this.#startedAtMs)).join('; ');
  }

  async #makesBlock(node: DevNode): Promise<void> {
    const before = node.cut().height;
    await until("a block of the rig is on its node's chain", async () => {
      const job = this.#parts.newestJob();
      if (this.isFresh(job, node)) await this.#parts.solve(job);
      return node.cut().height > before;
    }).catch((error: Error) => {
      throw new Error(`${error.message}; solutions: ${this.#words.join(', ')}`);
    });
  }

  /** What a node is said to have taken is among its blocks. */
  async #areKnown(): Promise<void> {
    for (const [{ job, header }, node] of this.#taken) {
      if (node !== this.#parts.nodeOf(job)) continue;
      const client = await NodeClient.connect({ nodes: node.url });
      await client.chain(job.work.chainId).header(toBase64Url(blockHashOf(header)));
      await client.close();
    }
    this.#taken.clear();
  }
}

function extendsCut(job: Job, node: DevNode): boolean {
  return node.cut().hashes[job.work.chainId] === toBase64Url(job.work.fields.parent);
}
