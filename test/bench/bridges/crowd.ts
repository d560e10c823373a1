/** Rigs at one process or at several, each process and each load a process of its own. */
import type { QueueConnection } from '../../../src/queue/bullmq/connection.js';
import { Peer, quantiles } from '../stratum/stratum-subject.js';
import type { SendLoop } from './send-loop.js';

/** Files that one load may have open. */
const RIGS_A_LOAD = 15_000;
const SUBMIT_MS = 2_000;

export interface DurableParts {
  readonly connection: QueueConnection;
  readonly databaseUrl: string;
  readonly nodeUrl: string;
}

interface Course {
  /** From the first written to the last rig that had it but for a hundredth. */
  readonly p99Ms: number;
  /** Processor time of all servers. */
  readonly processorMs: number;
}

export class Crowd implements AsyncDisposable {
  readonly name: string;
  readonly rigs: number;
  /** After a collection, of all servers, without what they had before. */
  memoryBytes = 0;
  readonly #servers: readonly Peer[];
  readonly #loop: SendLoop | undefined;
  readonly #loads: Peer[] = [];
  readonly #courses: Course[] = [];
  readonly #submits: number[] = [];

  private constructor(name: string, rigs: number, servers: readonly Peer[], loop?: SendLoop) {
    this.name = name;
    this.rigs = rigs;
    this.#servers = servers;
    this.#loop = loop;
  }

  /** @param role of each server. */
  static async start(
    name: string,
    role: 'bare' | 'stratum' | 'durable',
    processes: number,
    rigs: number,
    options: DurableParts | object = {},
  ): Promise<Crowd> {
    const servers: Peer[] = [];
    for (let i = 0; i < processes; i++) servers.push(await Peer.start(role, options));
    const crowd = new Crowd(name, rigs, servers);
    const before = await crowd.#memory();
    const ports = await Promise.all(servers.map((server) => server.call<number>('port')));
    await crowd.#connect(ports, role === 'bare' ? 'bare' : 'ready');
    crowd.memoryBytes = (await crowd.#memory()) - before;
    return crowd;
  }

  static async ofLoop(loop: SendLoop, rigs: number): Promise<Crowd> {
    const crowd = new Crowd('a loop of send in C', rigs, [], loop);
    const ready = loop.ready();
    await crowd.#connect([loop.port], 'bare');
    await ready;
    return crowd;
  }

  /** A job to all. @param counts the first ones warm the code up. */
  async fanOut(round: number, counts: boolean): Promise<void> {
    const frames = this.#loads.map((load) => load.callArmed<number[]>('awaitFrames'));
    await Promise.all(frames.map(({ armed }) => armed));
    const before = await this.#processorMs();
    const started = this.#loop ? [await this.#loop.fanOut()] : await this.#startAll(round);
    const arrivals = (await Promise.all(frames.map(({ result }) => result))).flat();
    const processorMs = (await this.#processorMs()) - before;
    if (!counts) return;
    const first = Math.min(...started);
    this.#courses.push({ p99Ms: quantiles(arrivals.map((at) => (at - first) / 1e6)).p99, processorMs });
  }

  /** Keeps submits of so many rigs under way, each one or more. */
  async submit(senders: number, window: number): Promise<void> {
    // Each asks for works of its own, which have the same numbers at all.
    const [jobIds] = await Promise.all(this.#servers.map((server) => server.call<string[]>('jobIds')));
    const done = await Promise.all(
      this.#loads.map((load) =>
        load.call<{ readonly perSecond: number; readonly refused: number }>(
          'submit',
          jobIds,
          Math.ceil(senders / this.#loads.length),
          window,
          SUBMIT_MS,
        ),
      ),
    );
    const refused = done.reduce((sum, each) => sum + each.refused, 0);
    if (refused > 0) throw new Error(`${refused} submits were refused by ${this.name}`);
    this.#submits.push(done.reduce((sum, { perSecond }) => sum + perSecond, 0));
  }

  get p99Ms(): number {
    return quantiles(this.#courses.map(({ p99Ms }) => p99Ms)).p50;
  }

  /** Of the servers, in microseconds. */
  get processorAJobAndRig(): number {
    return (quantiles(this.#courses.map(({ processorMs }) => processorMs)).p50 * 1000) / this.rigs;
  }

  get kilobytesARig(): number {
    return this.memoryBytes / this.rigs / 1024;
  }

  /** Of the best round: other load on the machine only takes away. */
  get submitsPerSecond(): number {
    return Math.max(...this.#submits);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const peer of [...this.#loads, ...this.#servers]) await peer[Symbol.asyncDispose]();
    await this.#loop?.[Symbol.asyncDispose]();
  }

  /** The same part of each load at each server. */
  async #connect(ports: readonly number[], kind: 'bare' | 'ready'): Promise<void> {
    const loads = Math.ceil(this.rigs / RIGS_A_LOAD);
    for (let i = 0; i < loads; i++) {
      const load = await Peer.start('load');
      this.#loads.push(load);
      const ofLoad = this.rigs / loads;
      for (const [at, port] of ports.entries())
        await load.call('open', port, Math.round((ofLoad * (at + 1)) / ports.length), kind);
    }
  }

  async #startAll(round: number): Promise<number[]> {
    const started = await Promise.all(
      this.#servers.map((server) => server.call<{ readonly startedNs: number }>('fanOut', round)),
    );
    return started.map(({ startedNs }) => startedNs);
  }

  async #memory(): Promise<number> {
    const all = await Promise.all(this.#servers.map((server) => server.call<number>('rssBytes')));
    return all.reduce((sum, bytes) => sum + bytes, 0);
  }

  async #processorMs(): Promise<number> {
    const all = await Promise.all(this.#servers.map((server) => server.call<number>('processorMs')));
    return all.reduce((sum, ms) => sum + ms, 0);
  }
}
