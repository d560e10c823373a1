/** Exactly the blocks that are asked for, on the chains that are asked for. */
import type { Job } from '../core/jobs/job.js';
import { BlockSource } from './block-source.js';
import { type BlockCounts, CPU_TIMING, type Cpu, type CpuOptions } from './options.js';

/** The blocks could not all be made; `made` says which were. */
export class MakeBlocksError extends Error {
  override readonly name = 'MakeBlocksError';
  readonly code: 'bad-request' | 'no-work' | 'refused' | 'busy';
  readonly made: BlockCounts;

  constructor(code: MakeBlocksError['code'], message: string, made: BlockCounts = new Map()) {
    super(message);
    this.code = code;
    this.made = made;
  }
}

const ASK_AGAIN_MS = 50;
const MAX_BLOCKS = 10_000;
const MAX_CALLS = 16;
const MAX_CHAIN_ID = 0xffff;

/** Reads `{"0": 2, "7": 1}`. Throws {@link MakeBlocksError} that says what is wrong. */
export function parseBlockCounts(body: unknown): BlockCounts {
  const fail = (what: string): never => {
    throw new MakeBlocksError('bad-request', `expected {"chain id": number of blocks}: ${what}`);
  };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return fail('this is no object');
  const counts = new Map<number, number>();
  for (const [key, count] of Object.entries(body)) {
    if (!/^\d{1,5}$/.test(key) || Number(key) > MAX_CHAIN_ID) fail(`${JSON.stringify(key)} is no chain id`);
    if (!Number.isInteger(count) || count < 0)
      fail(`chain ${key} cannot have ${JSON.stringify(count)} blocks`);
    if (count > 0) counts.set(Number(key), count);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return total > MAX_BLOCKS ? fail(`${total} blocks are more than ${MAX_BLOCKS}`) : counts;
}

export class OnDemand implements Cpu {
  readonly #options: CpuOptions;
  readonly #source: BlockSource;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  #arrived: (() => void) | undefined;
  #last: Promise<void> = Promise.resolve();
  #calls = 0;

  constructor(options: CpuOptions) {
    this.#options = options;
    this.#timeoutMs = options.timing?.workTimeoutMs ?? CPU_TIMING.workTimeoutMs;
    const arrived = (): void => this.#arrived?.();
    this.#source = new BlockSource(options, arrived, arrived);
  }

  offerJob(job: Job): void {
    this.#source.offerJob(job);
  }

  retireChains(chainIds: readonly number[]): void {
    this.#source.retireChains(chainIds);
  }

  /** Resolves when the node has taken all of them. Throws {@link MakeBlocksError}. One call is served after the other. */
  makeBlocks(counts: BlockCounts): Promise<void> {
    if (this.#calls >= MAX_CALLS) {
      return Promise.reject(new MakeBlocksError('busy', `${MAX_CALLS} calls are waiting already`));
    }
    this.#calls++;
    const made = this.#last.then(() => this.#makeAll(counts)).finally(() => this.#calls--);
    this.#last = made.catch(() => undefined); // its caller hears of it; the next call only waits its turn
    return made;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#source.close();
    await this.#last;
  }

  async #makeAll(counts: BlockCounts): Promise<void> {
    const missing = new Map(counts);
    const made = new Map<number, number>();
    while (missing.size > 0) {
      const job = await this.#jobFor([...missing.keys()], made);
      await this.#post(job, made);
      const { chainId } = job.work;
      made.set(chainId, (made.get(chainId) ?? 0) + 1);
      const left = (missing.get(chainId) ?? 0) - 1;
      // To the end of the order, so that neighbours rise together and none waits for the others.
      missing.delete(chainId);
      if (left > 0) missing.set(chainId, left);
    }
  }

  /** A job of one of the chains, the first that has one; asks for each in turn. */
  async #jobFor(chains: readonly number[], made: BlockCounts): Promise<Job> {
    const { wantChain, clock } = this.#options;
    const startedMs = clock.nowMs();
    for (let turn = 0; ; turn++) {
      const job = this.#source.freeJob(chains);
      if (job) return job;
      if (this.#closing.signal.aborted) throw new MakeBlocksError('no-work', 'the bridge stops', made);
      if (clock.nowMs() - startedMs > this.#timeoutMs) throw noWork(chains, this.#timeoutMs, made);
      wantChain(chains[turn % chains.length] ?? 0);
      await this.#arrival(ASK_AGAIN_MS);
    }
  }

  async #arrival(longestMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longestMs);
      this.#arrived = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#arrived = undefined;
  }

  /** Resolves when the node has taken it. */
  async #post(job: Job, made: BlockCounts): Promise<void> {
    const { state, detail } = await this.#source.make(job);
    if (state === 'received' || state === 'perhaps') return;
    const said = detail || state;
    throw new MakeBlocksError(
      'refused',
      `the node did not take a block of chain ${job.work.chainId}: ${said}`,
      made,
    );
  }
}

function noWork(chains: readonly number[], timeoutMs: number, made: BlockCounts): MakeBlocksError {
  const which = chains.length === 1 ? `chain ${chains[0]}` : `any of the chains ${chains.join(', ')}`;
  const why = 'a chain cannot go on while its neighbours are behind: ask for blocks of those too';
  return new MakeBlocksError('no-work', `no work for ${which} within ${timeoutMs} ms; ${why}`, made);
}
