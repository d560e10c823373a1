/**
 * 10,000 rigs on one process: memory, fan-out, submits a second, and what a flood does to others.
 *
 * Each figure of the bridge stands beside that of a bare `ws` server measured in the same run by the same load.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Call } from './stratum-peers.js';

const PEERS = fileURLToPath(new URL('./stratum-peers.js', import.meta.url));
const CONNECTIONS = 10_000;
const FAN_OUTS = 14;
const SENDERS = 200;
const WINDOW = 8;
const SUBMIT_MS = 2000;
const SUBMIT_ROUNDS = 3;
const CONNECTS_PER_SECOND = 1000;

type Kind = 'bare' | 'stratum';

interface Figures {
  readonly baseMegabytes: number;
  readonly kilobytesPerConnection: number;
  readonly writtenMs: { readonly p50: number; readonly p99: number };
  readonly arrivedMs: { readonly p50: number; readonly p99: number };
  readonly submitsPerSecond: number;
}

export interface StratumFigures {
  readonly connections: number;
  readonly bare: Figures;
  readonly stratum: Figures;
  readonly ratios: {
    readonly fanOutP99: number;
    readonly submits: number;
    readonly kilobytesPerSession: number;
  };
  /** Waits of others' submits while one rig floods. */
  readonly floodMs: Quantiles;
  /** The same while 1,000 rigs a second connect and vanish. */
  readonly stormMs: Quantiles;
}

export async function benchStratum(connections = CONNECTIONS): Promise<StratumFigures> {
  const { bare, stratum } = await measureBoth(connections);
  const figures: StratumFigures = {
    connections,
    bare,
    stratum,
    ratios: {
      fanOutP99: stratum.arrivedMs.p99 / bare.arrivedMs.p99,
      submits: stratum.submitsPerSecond / bare.submitsPerSecond,
      kilobytesPerSession: stratum.kilobytesPerConnection,
    },
    floodMs: await measureWaits(FLOOD),
    stormMs: await measureWaits(STORM),
  };
  print(figures);
  return figures;
}

/** Both servers stand all the time and take turns, so that other load on the machine takes from both alike. */
async function measureBoth(connections: number): Promise<Record<Kind, Figures>> {
  await using bare = await Subject.start('bare', connections);
  await using stratum = await Subject.start('stratum', connections);
  for (let round = 0; round < FAN_OUTS; round++) {
    // The first rounds warm the code up.
    for (const subject of [bare, stratum]) await subject.fanOut(round, round >= 2);
  }
  for (let round = 0; round < SUBMIT_ROUNDS; round++)
    for (const subject of [bare, stratum]) await subject.submit();
  return { bare: bare.figures(), stratum: stratum.figures() };
}

/** A server, its load, and what was measured of them. */
class Subject implements AsyncDisposable {
  readonly #kind: Kind;
  readonly #server: Peer;
  readonly #load: Peer;
  readonly #memory: Pick<Figures, 'baseMegabytes' | 'kilobytesPerConnection'>;
  readonly #writtenMs: number[] = [];
  readonly #arrivedMs: number[] = [];
  readonly #submitsPerSecond: number[] = [];

  private constructor(kind: Kind, server: Peer, load: Peer, memory: Subject['memory']) {
    this.#kind = kind;
    this.#server = server;
    this.#load = load;
    this.#memory = memory;
  }

  static async start(kind: Kind, connections: number): Promise<Subject> {
    const [server, load] = [await Peer.start(kind), await Peer.start('load')];
    const base = await server.call<number>('rssBytes');
    await load.call('open', await server.call<number>('port'), connections, kind);
    const full = await server.call<number>('rssBytes');
    const memory = {
      baseMegabytes: base / 2 ** 20,
      kilobytesPerConnection: (full - base) / connections / 1024,
    };
    return new Subject(kind, server, load, memory);
  }

  get memory(): Pick<Figures, 'baseMegabytes' | 'kilobytesPerConnection'> {
    return this.#memory;
  }

  async fanOut(round: number, counts: boolean): Promise<void> {
    const frames = this.#load.callArmed<number[]>('awaitFrames');
    await frames.armed;
    const { startedNs, writtenNs } = await this.#server.call<{ startedNs: number; writtenNs: number }>(
      'fanOut',
      round,
    );
    const arrivals = await frames.result;
    if (!counts) return;
    this.#writtenMs.push((writtenNs - startedNs) / 1e6);
    for (const at of arrivals) this.#arrivedMs.push((at - startedNs) / 1e6);
  }

  async submit(): Promise<void> {
    const jobId = this.#kind === 'stratum' ? await this.#server.call<string>('jobId') : '1';
    this.#submitsPerSecond.push(await this.#load.call<number>('submit', jobId, SENDERS, WINDOW, SUBMIT_MS));
  }

  figures(): Figures {
    return {
      ...this.#memory,
      writtenMs: quantiles(this.#writtenMs),
      arrivedMs: quantiles(this.#arrivedMs),
      submitsPerSecond: Math.max(...this.#submitsPerSecond),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#load[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }
}

type Disturb = (peer: Peer, port: number, jobId: string) => Promise<unknown>;

const FLOOD: Disturb = async (peer, port, jobId) => {
  await peer.call('open', port, 1, 'stratum');
  return peer.call('flood', jobId, SUBMIT_MS);
};

const STORM: Disturb = (peer, port) => peer.call('storm', port, CONNECTS_PER_SECOND, SUBMIT_MS);

/** How long others wait for their answers meanwhile, under the default limits. */
async function measureWaits(disturb: Disturb): Promise<Quantiles> {
  await using server = await Peer.start('limited');
  await using rigs = await Peer.start('load');
  await using disturber = await Peer.start('load');
  const port = await server.call<number>('port');
  await rigs.call('open', port, 100, 'stratum');
  const jobId = await server.call<string>('jobId');
  // Cold code answers nobody quickly; warm it up by the rigs alone.
  await rigs.call('submit', jobId, 100, WINDOW, SUBMIT_MS / 4);
  const disturbing = disturb(disturber, port, jobId);
  const waits = await rigs.call<number[]>('pace', jobId, SUBMIT_MS);
  await disturbing;
  return quantiles(waits);
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

function quantiles(values: readonly number[]): Quantiles {
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

  static async start(role: string): Promise<Peer> {
    const child = fork(PEERS, [role], { execArgv: ['--expose-gc'] });
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

function print(figures: StratumFigures): void {
  const { bare, stratum, ratios, floodMs, stormMs, connections } = figures;
  const row = (name: string, a: number | string, b: number | string, bar = ''): string =>
    `| ${name} | ${show(a)} | ${show(b)} | ${bar} |`;
  const lines = [
    `${connections} connections over WebSocket, load from another process of this machine`,
    '',
    '| | bare ws | bridge | ratio, and its bar |',
    '|---|---|---|---|',
    row('process before, MB', bare.baseMegabytes, stratum.baseMegabytes),
    row(
      'memory a connection, kB',
      bare.kilobytesPerConnection,
      stratum.kilobytesPerConnection,
      'bar: 15 kB a session',
    ),
    row('job written to all, p50 ms', bare.writtenMs.p50, stratum.writtenMs.p50),
    row('job at the rigs, p50 ms', bare.arrivedMs.p50, stratum.arrivedMs.p50),
    row(
      'job at the rigs, p99 ms',
      bare.arrivedMs.p99,
      stratum.arrivedMs.p99,
      `${show(ratios.fanOutP99)}, bar: at most 1.3`,
    ),
    row(
      'submits judged and answered a second',
      bare.submitsPerSecond,
      stratum.submitsPerSecond,
      `${show(ratios.submits)}, bar: at least 0.6`,
    ),
    row("others' submits while one rig floods, p50 ms", '', floodMs.p50),
    row("others' submits while one rig floods, p99 ms", '', floodMs.p99, 'bar: 50 ms'),
    row("others' submits while 1,000 rigs a second connect, p99 ms", '', stormMs.p99, 'bar: 50 ms'),
    '',
    JSON.stringify(figures),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function show(value: number | string): string {
  if (typeof value === 'string') return value;
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
