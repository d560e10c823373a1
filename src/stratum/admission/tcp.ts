/** Sessions over a plain or TLS stream: one message a line. */
import type { Socket } from 'node:net';
import type { Peer } from '../../core/names/peer.js';
import { LineSplitter } from '../../wire/lines.js';
import type { Visitor } from './arrivals.js';
import {
  type Accept,
  BatchedWriter,
  CLOSE_GRACE_MS,
  type Connection,
  type SharedLine,
} from './connection.js';

const HTTP_REQUEST = /^[A-Z]+ .* HTTP\//;

/** Gives the socket to a new session. The socket ends with the session and the session with it. */
export function serveTcp(visitor: Visitor, lineBytes: number, accept: Accept): void {
  const { socket } = visitor;
  const events = accept(new TcpConnection(visitor));
  let isFirst = true;
  const lines = new LineSplitter(lineBytes, (line) => {
    // A web page can make a browser send this, with lines of Stratum in its body.
    if (isFirst && HTTP_REQUEST.test(line)) events.fault('an HTTP request came to the TCP port of rigs');
    isFirst = false;
    events.line(line);
  });
  let broken: string | undefined;
  socket.on('data', (chunk: Buffer) => {
    const before = lines.count;
    const isGood = lines.push(chunk);
    events.received(chunk.length, lines.count - before, lines.open);
    if (isGood) return;
    socket.removeAllListeners('data').resume();
    events.fault(`a line is longer than ${lineBytes} bytes`);
  });
  // A reset is one of the ways a rig leaves; 'close' follows and tells it.
  socket.on('error', (error) => {
    broken = error.message;
  });
  socket.on('close', () => events.closed(broken));
}

/** One class for all: an object of closures for each costs every session a kilobyte, and every call its look-up. */
class TcpConnection implements Connection {
  readonly transport = 'tcp';
  readonly peer: Peer;
  readonly wireBytes: Connection['wireBytes'];
  readonly #socket: Socket;
  readonly #writer: BatchedWriter;

  constructor({ socket, peer, wireBytes }: Visitor) {
    socket.setNoDelay(true);
    this.peer = peer;
    this.wireBytes = wireBytes;
    this.#socket = socket;
    this.#writer = new BatchedWriter(socket);
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  send(text: string): void {
    this.#writer.write(`${text}\n`);
  }

  sendShared(line: SharedLine): void {
    this.#writer.writeNow(line.tcpBytes);
  }

  whenSent(callback: () => void): void {
    this.#socket.write('', (error) => error ?? callback());
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    closeSoon(this.#socket);
  }
}

/** Ends a stream in order, and cuts it when the other side does not follow. */
function closeSoon(socket: Socket): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.destroySoon();
}
