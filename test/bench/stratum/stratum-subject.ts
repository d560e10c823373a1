/** A server to be measured with the load on it, each a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Call } from './stratum-peers.js';

const PEERS = fileURLToPath(new URL('./stratum-peers.js', import.meta.url));
/** Clients that submit at once. */
const SENDERS = 200;
const WINDOW = 8;
const SUBMIT_MS = 2000;

export type Kind = 'bare' | 'stratum' | 'durable' | 'watched';

export interface Figures {
  readonly baseMegabytes: number;
  readonly kilobytesPerConnection: number;
  /** After a share of each; of the bare server as above. */
  readonly kilobytesPerMiner: number;
  readonly writtenMs: Quantiles;
  readonly arrivedMs: Quantiles;
  readonly submitsPerSecond: number;
}

interface Exchanged {
  readonly perSecond: number;
  readonly refused: number;
}

export interface Traffic {
  /** Clients that submit. */
  readonly senders?: number;
  /** Submits of each that are under way at a time. */
  readonly window?: number;
}

/** What comes of some rounds. */
export class Measured {
  readonly writtenMs: number[] = [];
  readonly arrivedMs: number[] = [];
  /** When all but the last hundredth had it, of each round. */
  readonly arrivedP99Ms: number[] = [];
  /** Submits a second, of each round. */
  readonly rounds: number[] = [];

  /** Of the best round: other load on the machine only takes away. */
  get submitsPerSecond(): number {
    return Math.max(...this.rounds);
  }
}

/** A server, its load, and what was measured of them. */
export class Subject implements AsyncDisposable {
  readonly #kind: Kind;
  readonly #senders: number;
  readonly #window: number;
  readonly #server: Peer;
  readonly #load: Peer;
  readonly #memory: Pick<Figures, 'baseMegabytes' | 'kilobytesPerConnection' | 'kilobytesPerMiner'>;
  readonly #measured = new Measured();

  private constructor(
    kind: Kind,
    server: Peer,
    load: Peer,
    memory: Subject['memory'],
    { senders = SENDERS, window = WINDOW }: Traffic,
  ) {
    this.#kind = kind;
    this.#senders = senders;
    this.#window = window;
    this.#server = server;
    this.#load = load;
    this.#memory = memory;
  }

  static async start(
    kind: Kind,
    connections: number,
    { options, yields, ...traffic }: Traffic & { readonly options?: object; readonly yields?: boolean } = {},
  ): Promise<Subject> {
    const [server, load] = [await Peer.start(kind, options), await Peer.start('load', {}, yields)];
    const base = await server.call<number>('rssBytes');
    await load.call('open', await server.call<number>('port'), connections, kind === 'bare' ? kind : 'ready');
    const full = await server.call<number>('rssBytes');
    if (kind === 'stratum' || kind === 'watched')
      await load.call('mineOnce', (await server.call<string[]>('jobIds'))[0]);
    const mining = await server.call<number>('rssBytes');
    const memory = {
      baseMegabytes: base / 2 ** 20,
      kilobytesPerConnection: (full - base) / connections / 1024,
      kilobytesPerMiner: (mining - base) / connections / 1024,
    };
    return new Subject(kind, server, load, memory, traffic);
  }

  call<T>(call: string, ...args: readonly unknown[]): Promise<T> {
    return this.#server.call<T>(call, ...args);
  }

  get memory(): Pick<Figures, 'baseMegabytes' | 'kilobytesPerConnection' | 'kilobytesPerMiner'> {
    return this.#memory;
  }

  async fanOut(round: number, counts: boolean, into = this.#measured): Promise<void> {
    const frames = this.#load.callArmed<number[]>('awaitFrames');
    await frames.armed;
    const { startedNs, writtenNs } = await this.#server.call<{ startedNs: number; writtenNs: number }>(
      'fanOut',
      round,
    );
    const arrivals = await frames.result;
    if (!counts) return;
    into.writtenMs.push((writtenNs - startedNs) / 1e6);
    const arrivedMs = arrivals.map((at) => (at - startedNs) / 1e6);
    into.arrivedMs.push(...arrivedMs);
    into.arrivedP99Ms.push(quantiles(arrivedMs).p99);
  }

  async submit(into = this.#measured): Promise<void> {
    const jobIds = await this.#server.call<string[]>('jobIds');
    const { perSecond, refused } = await this.#load.call<Exchanged>(
      'submit',
      jobIds,
      this.#senders,
      this.#window,
      SUBMIT_MS,
    );
    if (refused > 0) throw new Error(`${refused} submits of the ${this.#kind} server were refused`);
    into.rounds.push(perSecond);
  }

  /** How long each of some 1,000 submits a second waited for its answer, in milliseconds. */
  async answerWaits(forMs: number): Promise<number[]> {
    const [jobId] = await this.#server.call<string[]>('jobIds');
    return this.#load.call<number[]>('pace', jobId, forMs);
  }

  get submitsPerSecond(): number {
    return this.#measured.submitsPerSecond;
  }

  figures(): Figures {
    return {
      ...this.#memory,
      writtenMs: quantiles(this.#measured.writtenMs),
      arrivedMs: quantiles(this.#measured.arrivedMs),
      submitsPerSecond: this.submitsPerSecond,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#load[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }
}

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

export function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** One process of the benchmark. */
export class Peer implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** @param yields it gives way to the other processes: two cores are too few for a pause to show whose it is. */
  static async start(role: string, options: object = {}, yields = false): Promise<Peer> {
    const child = fork(PEERS, [role, JSON.stringify(options)], { execArgv: ['--expose-gc'] });
    if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', (code) => reject(new Error(`the ${role} process ended with code ${code}`)));
    });
    return new Peer(child);
  }

  call<T = unknown>(call: string, ...args: readonly unknown[]): Promise<T> {
    return this.callArmed<T>(call, ...args).result;
  }

  /** A call that says when it is ready to see what comes. */
  callArmed<T>(call: string, ...args: readonly unknown[]): { armed: Promise<void>; result: Promise<T> } {
    let arm: () => void = () => undefined;
    const armed = new Promise<void>((resolve) => {
      arm = resolve;
    });
    const result = new Promise<T>((resolve, reject) => {
      const ended = (): void => reject(new Error(`ended while it did ${call}`));
      const take = (message: { armed?: boolean; result?: T }): void => {
        if (message.armed) {
          arm();
          return;
        }
        this.#child.off('message', take).off('exit', ended);
        resolve(message.result as T);
      };
      this.#child.on('message', take).once('exit', ended);
    });
    this.#child.send({ call, args } satisfies Call);
    return { armed, result };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}
