/** One node as it stands among others: its works, and what it says of itself when it is asked beside them. */
import { NodeError } from '../chain/errors.js';
import { toBase64Url } from '../core/bytes/bytes.js';
import { faultOf } from '../core/names/log.js';
import type { CutObject, NodeClient, SeenAnswer } from '../node-client/client.js';
import { isVoting, voteOf } from './fork-state.js';
import { givesWork } from './node-state.js';
import type { Sighting } from './standing.js';
import type { WorkSourceOptions } from './works/work-options.js';
import { NodeWorkSource } from './works/work-source.js';

interface NodeWatchOptions extends WorkSourceOptions {
  /** Milliseconds since the epoch, as this machine has it. */
  readonly wallClockMs: () => number;
  readonly probeTimeoutMs: number;
  /** Blocks of a chain in which nodes vote on a fork. */
  readonly forkEpoch: number;
  readonly isKnownPublic: (network: string) => boolean;
}

/** Its software and settings decide, so its vote is looked at seldom. */
const VOTE_MS = 60_000;
/** Networks with so many chains have a block every few seconds. */
const MANY_CHAINS = 10;

export class NodeWatch {
  readonly source: NodeWorkSource;
  readonly #options: NodeWatchOptions;
  #seen: Omit<Sighting, 'network' | 'versionCode'> | undefined;
  #probes = 0;
  #heads: CutObject['hashes'] | undefined;
  #still: { readonly height: number; readonly sinceMs: number } | undefined;
  #newestBlockAtMs: number | undefined;
  /** As it was named last; `undefined`: it never was. */
  #extendsItsCut: boolean | undefined;
  /** It had answered all before it was looked at last. */
  #wasWell = false;
  #vote: { readonly isFor: boolean | undefined; readonly atMs: number } | undefined;

  constructor(options: NodeWatchOptions) {
    this.#options = options;
    const onForged = (error: NodeError): void => this.#caught(error);
    this.source = new NodeWorkSource({ ...options, connect: { ...options.connect, onForged } });
  }

  /** Sent since the start. */
  get requests(): number {
    return this.source.requests + this.#probes;
  }

  /** Whether it votes for the next fork, as far as it is known. */
  get isFor(): boolean | undefined {
    return this.#vote?.isFor;
  }

  /** Some work that it gave is on top of its chains as it names them; one that does not name them is believed. */
  get extendsItsCut(): boolean {
    const { works, life } = this.source;
    // A look without an answer in time is no more than one: work that is given meanwhile is taken.
    return (this.#extendsItsCut ?? works.length > 0) && (life.failures === 0 || this.#wasWell);
  }

  /** By its clock and the clock of `now`; `undefined` where blocks may be far apart, or it does not say. */
  get newestBlockAtMs(): number | undefined {
    return this.#newestBlockAtMs;
  }

  /** What is known of it while it gives work. */
  get sighting(): Sighting | undefined {
    const { life, works } = this.source;
    if (!givesWork(life)) return undefined;
    const versionCode = works[0]?.fields.versionCode;
    return {
      clockOffsetMs: undefined,
      cutHeight: undefined,
      ...this.#seen,
      network: life.network,
      versionCode,
    };
  }

  /** A node in trouble is not asked: its own loop does that. Never rejects. */
  async probe(): Promise<void> {
    const { client, life } = this.source;
    if (!client || !givesWork(life)) {
      this.#seen = undefined;
      this.#heads = undefined;
      return;
    }
    this.#probes++;
    this.#wasWell = life.failures === 0;
    try {
      await Promise.all([this.#look(client), this.#lookAtVote(client)]);
    } catch (error) {
      if (!(error instanceof NodeError)) {
        const fields = { node: this.source.url, ...faultOf(error) };
        this.#options.log.error(fields, 'an unexpected error while looking at a node; it is looked at again');
      }
      this.source.saw({ kind: 'suspected' });
    }
  }

  close(): Promise<void> {
    return this.source.close();
  }

  async #look(client: NodeClient): Promise<void> {
    const { now, wallClockMs, probeTimeoutMs } = this.#options;
    const askedAtMs = now();
    // A node whose works are waited for longer has as much more time for this.
    const { clockMs, cut } = await ask(client, probeTimeoutMs * this.source.slowness);
    const offset = clockMs === undefined ? undefined : clockMs - (askedAtMs + now()) / 2;
    this.#seen = { clockOffsetMs: offset, cutHeight: cut?.height, ...this.#stillness(cut) };
    this.#extendsItsCut = cut ? this.source.sawCut(cut.hashes) : this.source.works.length > 0;
    if (cut) await this.#lookAtNewest(client, cut, clockMs ?? wallClockMs());
    else {
      this.#heads = undefined;
      this.#newestBlockAtMs = undefined;
    }
    if (clockMs !== undefined) this.source.saw({ kind: 'timed', aheadMs: wallClockMs() - clockMs });
  }

  /** Since which round its cut has been the same. */
  #stillness(cut: CutObject | undefined): Pick<Sighting, 'stillMs' | 'chains'> {
    const nowMs = this.#options.now();
    if (!cut) this.#still = undefined;
    else if (this.#still?.height !== cut.height) this.#still = { height: cut.height, sinceMs: nowMs };
    if (!cut || !this.#still) return {};
    return { stillMs: nowMs - this.#still.sinceMs, chains: Object.keys(cut.hashes).length };
  }

  /**
   * By one header a round, of a block that the cut before did not have: one of the newest. At the first cut nobody knows which that
   * is, and it is taken for new.
   */
  async #lookAtNewest(client: NodeClient, { hashes }: CutObject, clockMs: number): Promise<void> {
    const { now, probeTimeoutMs, isKnownPublic } = this.#options;
    const heads = Object.entries(hashes);
    const isFirst = this.#heads === undefined;
    const fresh = heads.find(([id, { hash }]) => this.#heads?.[id]?.hash !== hash);
    this.#heads = hashes;
    // Elsewhere no block may come because these rigs are let go.
    if (heads.length < MANY_CHAINS || !isKnownPublic(this.source.life.network))
      this.#newestBlockAtMs = undefined;
    else if (isFirst) this.#newestBlockAtMs = now();
    else if (fresh) {
      const [id, { hash }] = fresh;
      this.#probes++;
      const madeAtMs = await createdAtMs(client, Number(id), hash, probeTimeoutMs);
      const ageMs = madeAtMs === undefined ? 0 : Math.max(0, clockMs - madeAtMs);
      this.#newestBlockAtMs = Math.max(this.#newestBlockAtMs ?? Number.NEGATIVE_INFINITY, now() - ageMs);
    }
  }

  /** By what a work of it adds to the parent: one header once in a while. One that does not show it keeps its vote to itself. */
  async #lookAtVote(client: NodeClient): Promise<void> {
    const { now, probeTimeoutMs, forkEpoch } = this.#options;
    const work = this.source.works.find(({ fields }) => isVoting(fields.height, forkEpoch));
    if (!work || (this.#vote && now() - this.#vote.atMs < VOTE_MS)) return;
    const { height, flags, parent } = work.fields;
    this.#vote = { isFor: this.#vote?.isFor, atMs: now() };
    this.#probes++;
    try {
      const { fields } = await client
        .chain(work.chainId)
        .encodedHeader(toBase64Url(parent), 'bytes', { timeoutMs: probeTimeoutMs });
      this.#vote = { isFor: voteOf(height, forkEpoch, flags, fields.flags), atMs: now() };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.#options.log.debug({ node: this.source.url, error: error.message }, 'its vote cannot be seen');
    }
  }

  #caught({ message, advice }: NodeError): void {
    const before = this.source.life.forgery;
    this.source.saw({ kind: 'caught', words: message, advice });
    if (this.source.life.forgery === before) return; // not trusted as it is
    this.#options.log.error({ node: this.source.url, error: message }, 'a node gave a forged answer');
    this.#options.onStatus();
  }
}

/** One light request; a node that does not serve its cut still tells the time. Throws NodeError when there is no answer. */
async function ask(
  { maintenance }: NodeClient,
  timeoutMs: number,
): Promise<{ clockMs: number | undefined; cut: CutObject | undefined }> {
  let clockMs: number | undefined;
  const onAnswer = ({ facts }: SeenAnswer): void => {
    clockMs = facts.clockMs;
  };
  try {
    const cut = await maintenance.cut(undefined, { timeoutMs, onAnswer });
    return { clockMs, cut };
  } catch (error) {
    const answered = error instanceof NodeError && ['status', 'not-found', 'format'].includes(error.code);
    if (answered) return { clockMs, cut: undefined };
    throw error;
  }
}

/** Milliseconds since the epoch, by its header; `undefined` where the node does not give that. */
async function createdAtMs(
  client: NodeClient,
  chainId: number,
  hash: string,
  timeoutMs: number,
): Promise<number | undefined> {
  try {
    const { fields } = await client.chain(chainId).encodedHeader(hash, 'bytes', { timeoutMs });
    return Number(fields.creationTime / 1000n);
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}
