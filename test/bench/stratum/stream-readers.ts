/** Who reads `/api/v1/stream`, over sockets of their own: those that keep up, and those that take nothing off their socket. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { READ } from '../../helpers/web/operators.js';
import type { Calls } from '../peer.js';

class Reader {
  snapshots = 0;
  isClosed = false;
  readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    // However it ends: who has dropped it says nothing.
    socket
      .on('error', () => undefined)
      .on('close', () => {
        this.isClosed = true;
      });
  }

  /** Resolves once the answer has begun. */
  static async open(url: string): Promise<Reader> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    const reader = new Reader(socket);
    socket.write(`GET /api/v1/stream HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${READ}\r\n\r\n`);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    if (!bytes.includes('HTTP/1.1 200')) throw new Error(`no stream: ${bytes.subarray(0, 200)}`);
    return reader;
  }

  /** A snapshot is told by the first bytes of its frame, which is written at once. */
  #take(bytes: Buffer): void {
    for (let at = bytes.indexOf(SNAPSHOT); at !== -1; at = bytes.indexOf(SNAPSHOT, at + 1)) this.snapshots++;
  }
}

const SNAPSHOT = 'event: snapshot';
/** What lies in a socket when it is looked at again has come by then. */
const DRAIN_MS = 3000;

export interface ReadersReport {
  /** Of the one that got the fewest, and of all. */
  readonly fewest: number;
  readonly mean: number;
  readonly dropped: number;
}

export function streamReaders(): Calls {
  let readers: Reader[] = [];
  let slow: Reader[] = [];
  const openSome = (url: string, count: number): Promise<Reader[]> =>
    Promise.all(Array.from({ length: count }, () => Reader.open(url)));
  return {
    open: async (url: string, count: number) => {
      readers = await openSome(url, count);
    },
    openSlow: async (url: string, count: number) => {
      slow = await openSome(url, count);
      for (const { socket } of slow) socket.pause();
    },
    report: (): ReadersReport => {
      const counts = readers.map(({ snapshots }) => snapshots);
      return {
        fewest: Math.min(...counts),
        mean: counts.reduce((sum, count) => sum + count, 0) / counts.length,
        dropped: readers.filter(({ isClosed }) => isClosed).length,
      };
    },
    /** Of those that did not read: the end is seen only by who reads on. */
    droppedOfSlow: async () => {
      for (const { socket } of slow) socket.resume();
      const endMs = Date.now() + DRAIN_MS;
      while (Date.now() < endMs && slow.some(({ isClosed }) => !isClosed)) await sleep(50);
      return slow.filter(({ isClosed }) => isClosed).length;
    },
    close: () => {
      for (const { socket } of [...readers, ...slow]) socket.destroy();
      [readers, slow] = [[], []];
    },
  };
}
