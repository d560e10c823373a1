/**
 * A front whose hub has gone finds the next one: at a socket in the folder of all fronts, which is closed to others.
 *
 *     <dataDir>/fronts/hub.sock
 *     front: {"front":2,"pid":4711,"protocol":1,"instance":5}      hub: {"adopted":true} or {"refused":"…"}
 */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/names/log.js';
import { type StreamWire, streamWire } from './stream-wire.js';

/** Of contracts, and of what crosses by them: another with each change that an older front or hub would not understand. */
export const PROTOCOL = 1;

export interface Hello {
  readonly front: number;
  readonly pid: number;
  readonly protocol: number;
  /** The number that its jobs are made by. */
  readonly instance: number | undefined;
}

type Welcome = { readonly adopted: true } | { readonly refused: string };

const AGAIN_MS = 100;
const HELLO_MS = 5_000;

/** Resolves with the way to the hub; `undefined` where none has come in time, or it does not take this front. */
export async function findHub(path: string, hello: Hello, forMs: number): Promise<StreamWire | undefined> {
  const untilMs = performance.now() + forMs;
  while (performance.now() < untilMs) {
    const wire = await reach(path);
    const welcome = wire && (await welcomeBy(wire, hello));
    if (welcome && 'adopted' in welcome) return wire;
    wire?.close();
    if (welcome) return undefined;
    await pause(AGAIN_MS);
  }
  return undefined;
}

async function reach(path: string): Promise<StreamWire | undefined> {
  const socket = connect(path);
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  return isThere ? streamWire(socket) : undefined;
}

function welcomeBy(wire: StreamWire, hello: Hello): Promise<Welcome | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), HELLO_MS);
    const answered = (welcome: Welcome | undefined): void => {
      clearTimeout(timer);
      resolve(welcome);
    };
    void wire.next().then((message) => answered(message as Welcome));
    wire.onEnd(() => answered(undefined));
    wire.send(hello);
  });
}

function isHello(message: unknown): message is Hello {
  if (typeof message !== 'object' || message === null) return false;
  const { front, pid } = message as Partial<Hello>;
  return Number.isInteger(front) && Number.isInteger(pid);
}

export interface GateParts {
  readonly path: string;
  readonly log: Log;
  /** Why a front of the hub before is not taken, in words; `undefined` where it is. */
  refusal(hello: Hello): string | undefined;
  /** It has heard that it is taken. */
  adopt(hello: Hello, wire: StreamWire): void;
}

/** The hub's end; the owner of the folder opens it. */
export class Gate {
  readonly #parts: GateParts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.#server = createServer((socket) => this.#take(socket));
  }

  /** Rejects with the system's error; one of a hub that was killed is replaced. */
  async open(): Promise<void> {
    const { path } = this.#parts;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await chmod(dirname(path), 0o700);
    await rm(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(path, resolve);
    });
    await chmod(path, 0o600);
  }

  /** Nobody is taken any more; those that were stay connected until their owner ends that. */
  async close(): Promise<void> {
    await rm(this.#parts.path, { force: true });
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    const timer = setTimeout(() => socket.destroy(), HELLO_MS);
    const wire = streamWire(socket);
    const known = (): void => {
      clearTimeout(timer);
      this.#sockets.delete(socket);
    };
    wire.onEnd(known);
    void wire.next().then((message) => {
      known();
      if (isHello(message)) this.#welcome(message, wire);
      else wire.close();
    });
  }

  #welcome(hello: Hello, wire: StreamWire): void {
    const { adopt, refusal, log } = this.#parts;
    const { front, pid, protocol } = hello;
    const isOther = protocol !== PROTOCOL;
    const refused = isOther ? `it speaks protocol ${protocol}, and not ${PROTOCOL}` : refusal(hello);
    if (refused === undefined) {
      wire.send({ adopted: true } satisfies Welcome);
      adopt(hello, wire);
      return;
    }
    log.warn({ front, pid, refused }, `front ${front} of before is not taken over, and ends: ${refused}`);
    wire.send({ refused } satisfies Welcome);
    wire.close();
  }
}
