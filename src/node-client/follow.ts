/**
 * Blocks of chosen chains at a depth, each once. What is true is asked for: the head of a chain, and the headers from it
 * down to what is known. A stream of headers, and a look now and then, only say when to ask: so nothing is lost between
 * two streams, or where a node has none.
 */
import { NodeError } from '../chain/errors.js';
import type { HeaderObject } from '../chain/models.js';
import type { CallPolicy } from './asking/policy.js';
import type { ChainClient } from './parts/chain-client.js';
import type { MaintenanceClient } from './parts/maintenance-client.js';
import type { StreamOptions } from './streams/event-stream.js';

/** What is asked: a client of one node or of several. */
interface Source {
  readonly maintenance: Pick<MaintenanceClient, 'cut'>;
  chain(chainId: number): ChainClient;
  headerUpdates(options: StreamOptions): AsyncIterable<unknown>;
}

export interface FollowOptions {
  /** By default those of the cut. */
  readonly chains?: readonly number[];
  /** Blocks that a block must have above it. Default 0: the head counts at once, and may leave again. */
  readonly depth?: number;
  /** The first height that is told; by default the one above what is at the depth now. */
  readonly from?: number;
  /** Chain -> hash of the last block that the caller has: goes on from there, in place of `from`. */
  readonly after?: Readonly<Record<number, string>>;
  /** A look at the cut, besides the stream. Default 10,000. */
  readonly pollMs?: number;
  /** Of each question; by default five attempts. */
  readonly policy?: CallPolicy;
  /** Ends it without an error. */
  readonly signal?: AbortSignal;
}

export type Followed =
  /** The next block of its chain. */
  | { readonly kind: 'block'; readonly chainId: number; readonly header: HeaderObject }
  /** Blocks that were told of and are on the chain no more, the highest first; what replaced them comes next. */
  | { readonly kind: 'left'; readonly chainId: number; readonly headers: readonly HeaderObject[] };

const POLL_MS = 10_000;
const ATTEMPTS = 5;
/** Headers of one page; and how many may be new at once, so that a long way is gone in steps. */
const PAGE = 360;
const STEP = 3_600;
/** Told ones that are remembered, to say which of them left. Of a deeper reorganisation the node is asked for more. */
const MOST_REMEMBERED = 1_000;
/** After this long a stream that was refused is asked for again. */
const STREAM_AGAIN_MS = 60_000;

export async function* followChains(
  client: Source,
  options: FollowOptions,
): AsyncGenerator<Followed, void, undefined> {
  const over = new AbortController();
  const end = (): void => over.abort();
  options.signal?.addEventListener('abort', end, { once: true });
  if (options.signal?.aborted) end();
  const bell = new Bell(over.signal);
  const ringing = ringWithStream(client, bell, over.signal);
  try {
    yield* following(client, options, bell, over.signal);
  } catch (error) {
    if (!over.signal.aborted) throw error;
  } finally {
    end();
    options.signal?.removeEventListener('abort', end);
    await ringing;
  }
}

async function* following(
  client: Source,
  options: FollowOptions,
  bell: Bell,
  signal: AbortSignal,
): AsyncGenerator<Followed, void, undefined> {
  const policy = { attempts: ATTEMPTS, ...options.policy, signal };
  const branches = new Map<number, Branch>();
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { hashes } = await client.maintenance.cut(undefined, policy);
      for (const chainId of options.chains ?? Object.keys(hashes).map(Number)) {
        const head = hashes[chainId];
        if (!head) continue;
        const branch =
          branches.get(chainId) ?? (await Branch.begin(client, chainId, head.height, options, policy));
        branches.set(chainId, branch);
        yield* branch.follow(head, policy);
      }
      failures = 0;
    } catch (error) {
      // One of several nodes may not know yet what another has told of.
      const mayCome = error instanceof NodeError && error.code === 'not-found';
      if (!mayCome || ++failures >= ATTEMPTS) throw error;
    }
    await bell.wait(options.pollMs ?? POLL_MS);
  }
}

/** Rings with each block that a stream tells of. Without a stream there is the look now and then. */
async function ringWithStream(client: Source, bell: Bell, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const _ of client.headerUpdates({ signal, onOpen: () => bell.ring() })) bell.ring();
    } catch {
      // Whatever is wrong with a stream, the look at the cut tells the same, only later.
      await new Bell(signal).wait(STREAM_AGAIN_MS);
    }
  }
}

/** Rung while nobody waits, it is heard by the next who does. */
class Bell {
  readonly #over: AbortSignal;
  #isRung = false;
  #wake: (() => void) | undefined;

  constructor(over: AbortSignal) {
    this.#over = over;
  }

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.#isRung && !this.#over.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#over.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        this.#over.addEventListener('abort', wake);
        this.#wake = wake;
      });
    }
    this.#isRung = false;
  }
}

interface Head {
  readonly hash: string;
  readonly height: number;
}

/** What is known of one chain: headers of its branch without a gap. */
class Branch {
  readonly #client: Source;
  readonly #chainId: number;
  readonly #depth: number;
  /** Ascending. */
  #headers: HeaderObject[] = [];
  /** The lowest height that the caller has or wants. */
  readonly #first: number;
  /** The height that comes next. */
  #next: number;

  private constructor(client: Source, chainId: number, depth: number, first: number, next: number) {
    this.#client = client;
    this.#chainId = chainId;
    this.#depth = depth;
    this.#first = first;
    this.#next = next;
  }

  static async begin(
    client: Source,
    chainId: number,
    headHeight: number,
    { depth = 0, from = Math.max(0, headHeight - depth + 1), after = {} }: FollowOptions,
    policy: CallPolicy,
  ): Promise<Branch> {
    const last = after[chainId];
    if (last === undefined) return new Branch(client, chainId, depth, from, from);
    const header = await client.chain(chainId).header(last, policy);
    const branch = new Branch(client, chainId, depth, 0, header.height + 1);
    branch.#headers = [header];
    return branch;
  }

  /** What is new with this head, in order. */
  async *follow(head: Head, policy: CallPolicy): AsyncGenerator<Followed, void, undefined> {
    const chainId = this.#chainId;
    while (this.#headers.at(-1)?.hash !== head.hash) {
      const before = this.#headers.at(-1)?.hash;
      const left = await this.#walkTowards(head, policy);
      if (left.length > 0) yield { kind: 'left', chainId, headers: left };
      const told = this.#headers.filter(
        ({ height }) => height >= this.#next && height <= head.height - this.#depth,
      );
      for (const header of told) {
        // Only what was taken counts as told.
        this.#next = header.height + 1;
        yield { kind: 'block', chainId, header };
      }
      this.#headers.splice(
        0,
        this.#headers.findIndex(({ height }) => height >= this.#next - MOST_REMEMBERED),
      );
      if (before === this.#headers.at(-1)?.hash) return; // it is below what is wanted
    }
  }

  /** Takes over the branch of this head, a step of it; what was told and is not on it, the highest first. */
  async #walkTowards(head: Head, policy: CallPolicy): Promise<HeaderObject[]> {
    let found = await this.#forkWith(head, policy);
    while (found.fork < 0 && (await this.#rememberMore(policy))) found = await this.#forkWith(head, policy);
    const gone = this.#headers.splice(found.fork + 1);
    this.#headers.push(...found.fresh);
    const left = gone.filter(({ height }) => height >= this.#first && height < this.#next).reverse();
    this.#next = left.at(-1)?.height ?? this.#next;
    return left;
  }

  /** Where the branch of this head leaves what is known, -1 where it does not meet it, and what it has above that, ascending. */
  async #forkWith(head: Head, policy: CallPolicy): Promise<{ fork: number; fresh: HeaderObject[] }> {
    const known = new Map(this.#headers.map(({ hash }, i) => [hash, i]));
    const fresh: HeaderObject[] = [];
    const fork = known.get(head.hash);
    if (fork !== undefined) return { fork, fresh };
    const [lowest, highest] = [this.#headers[0], this.#headers.at(-1)].map(
      (header) => header?.height ?? this.#next,
    );
    const maxHeight = Math.min(head.height, (highest ?? 0) + STEP);
    const window = { limit: PAGE, minHeight: Math.min(maxHeight, lowest ?? 0), maxHeight };
    const chain = this.#client.chain(this.#chainId);
    for await (const { items } of chain.headerBranchPages({ upper: [head.hash] }, window, policy)) {
      for (const header of items) {
        const place = known.get(header.hash);
        if (place !== undefined) return { fork: place, fresh: fresh.reverse() };
        fresh.push(header);
      }
    }
    return { fork: -1, fresh: fresh.reverse() };
  }

  /** A page of ancestors more; false where there is nothing that the caller could have been told of. */
  async #rememberMore(policy: CallPolicy): Promise<boolean> {
    const [lowest] = this.#headers;
    if (!lowest || lowest.height <= this.#first) return false;
    const chain = this.#client.chain(this.#chainId);
    const { items } = await chain.headerBranch({ upper: [lowest.parent] }, { limit: PAGE }, policy);
    this.#headers.unshift(...items.toReversed());
    return items.length > 0;
  }
}
