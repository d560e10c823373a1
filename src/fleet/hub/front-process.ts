/** One front as the hub has it: a process that it started or took over, the channel to it, and how it does. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Beat } from '../../bridge/fleet/ports.js';
import type { Hello } from '../channel/attach.js';
import { Channel } from '../channel/channel.js';
import { wireOf } from '../channel/process-wire.js';
import { type HandOver, handOverTo, onHanded } from '../channel/sockets-wire.js';
import type { StreamWire } from '../channel/stream-wire.js';

/** Descriptors of the sockets begin here in a front: before them are input, output, errors and the channel. */
export const FIRST_SOCKET = 4;

export interface ForkOptions {
  /** The file that a front runs. */
  readonly entry: string;
  /** Sockets that it inherits, in this order from {@link FIRST_SOCKET} on. */
  readonly fds: readonly number[];
  /** It gives a connection away. */
  handed(port: string, socket: Socket): void;
}

export interface FrontProcess {
  /** From 1 on; the hub itself is 0. */
  readonly index: number;
  readonly pid: number | undefined;
  readonly channel: Channel;
  /** A connection for it. */
  readonly hand: HandOver;
  /** Resolves with how it ended, in words. */
  readonly ended: Promise<string>;
  /** On a rising clock. */
  readonly startedAtMs: number;
  /** Of its last beat. */
  heardAtMs: number;
  /** Absent before the first. */
  beat: Beat | undefined;
  /** It has stopped in order, and ends without its hub; or it waits for another hub. */
  release(): void;
  kill(): void;
}

/** A child of this process. */
export class ForkedFront implements FrontProcess {
  readonly index: number;
  readonly channel: Channel;
  readonly hand: HandOver;
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly startedAtMs = performance.now();
  heardAtMs = performance.now();
  beat: Beat | undefined;

  constructor(index: number, options: ForkOptions) {
    const { entry, fds } = options;
    this.index = index;
    this.#child = fork(entry, [], {
      serialization: 'advanced',
      // Settings and secrets come over the channel; what it logs goes through the hub.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...fds],
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
    });
    this.channel = new Channel(wireOf(this.#child));
    this.hand = handOverTo(this.#child);
    onHanded(this.#child, (port, socket) => options.handed(port, socket));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  release(): void {
    if (this.#child.connected) this.#child.disconnect();
    this.#child.unref();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** One of the hub before: it leaves, and is given no connections. */
export class AdoptedFront implements FrontProcess {
  readonly index: number;
  readonly pid: number;
  readonly channel: Channel;
  readonly hand: HandOver = () => false;
  readonly ended: Promise<string>;
  readonly #wire: StreamWire;
  readonly startedAtMs = performance.now();
  heardAtMs = performance.now();
  beat: Beat | undefined;

  constructor({ front, pid }: Hello, wire: StreamWire) {
    this.index = front;
    this.pid = pid;
    this.#wire = wire;
    this.channel = new Channel(wire);
    this.ended = new Promise((resolve) => wire.onEnd(() => resolve('its connection has ended')));
  }

  release(): void {
    this.#wire.close();
  }

  kill(): void {
    try {
      process.kill(this.pid, 'SIGKILL');
    } catch (error) {
      // It has ended a moment ago.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    this.#wire.close();
  }
}
