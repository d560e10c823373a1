/**
 * Sessions over WebSocket: JSON text, one message or several with line ends between them to a frame.
 *
 * `ws` shakes hands. Frames are read and written here: its objects are a quarter of what a rig takes of memory, and one framed
 * job serves all rigs.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type ServerOptions, WebSocketServer } from 'ws';
import type { Peer } from '../../core/names/peer.js';
import {
  closeFrame,
  type FrameEvents,
  FrameReader,
  GOING_AWAY,
  pongFrame,
  textFrame,
} from '../../wire/frames.js';
import { COSTS } from './address.js';
import type { Visitor } from './arrivals.js';
import {
  type Accept,
  BatchedWriter,
  CLOSE_GRACE_MS,
  type Connection,
  type ConnectionEvents,
  type SharedLine,
} from './connection.js';
import type { StratumLimits } from './limits.js';

const NO_UPGRADE = 'This is a Stratum port: connect with a WebSocket client.\n';
const NO_PAGE = 'This web page may not connect: its origin is not in stratum.origins of the bridge.\n';
const FORBIDDEN = `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${NO_PAGE.length}\r\n\r\n${NO_PAGE}`;
const LINE_END = /\r?\n/;
const NO_CODE = Buffer.alloc(0);

interface WsRules {
  readonly limits: Pick<StratumLimits, 'lineBytes'>;
  /** Web pages that may connect, by their Origin; `*` for all. Rigs name none. */
  readonly origins: readonly string[];
}

/** Speaks HTTP on sockets that are handed to it, until they are WebSockets. */
export class WsUpgrader {
  readonly #accept: Accept;
  readonly #http: Server;
  readonly #rules: WsRules;
  readonly #visitors = new WeakMap<Socket, Visitor>();

  constructor(rules: WsRules, accept: Accept) {
    this.#accept = accept;
    this.#rules = rules;
    const upgrading = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      WebSocket: Upgraded,
    };
    const upgrader = new WebSocketServer(upgrading as unknown as ServerOptions);
    this.#http = createServer((_request, response) => {
      response.writeHead(426, { 'content-type': 'text/plain', connection: 'close' }).end(NO_UPGRADE);
    });
    this.#http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const { origin } = request.headers;
      if (origin !== undefined && !rules.origins.includes('*') && !rules.origins.includes(origin))
        socket.end(FORBIDDEN);
      else upgrader.handleUpgrade(request, socket, head, () => this.#serve(socket));
    });
  }

  /** It has arrived once it has become a WebSocket. */
  handle(visitor: Visitor): void {
    const { socket } = visitor;
    this.#visitors.set(socket, visitor);
    visitor.spend(COSTS.webSocket);
    this.#http.emit('connection', socket);
  }

  #serve(socket: Socket): void {
    const visitor = this.#visitors.get(socket);
    if (!visitor) throw new Error('a WebSocket came from nowhere');
    this.#visitors.delete(socket);
    visitor.arrived();
    const connection = new WsConnection(visitor, this.#rules.limits.lineBytes);
    connection.serve(this.#accept(connection));
  }
}

/** What `ws` makes of a socket once it has shaken hands. */
class Upgraded {
  setSocket(socket: Socket, head: Buffer): void {
    socket.setTimeout(0);
    if (head.length > 0) socket.unshift(head);
  }
}

/** At least one. A line end at the end begins no further line. */
function linesOf(text: string): readonly string[] {
  if (!text.includes('\n')) return [text];
  const lines = text.split(LINE_END);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** One class, as in tcp.ts. */
class WsConnection implements Connection, FrameEvents {
  readonly transport = 'ws';
  readonly peer: Peer;
  readonly wireBytes: Connection['wireBytes'];
  readonly #socket: Socket;
  readonly #writer: BatchedWriter;
  readonly #reader: FrameReader;
  #events: ConnectionEvents | undefined;
  /** Lines, pings and pongs of the chunk that is being read. */
  #frames = 0;
  #ping: Buffer | undefined;
  #broken: string | undefined;
  /** No close frame was sent. */
  #isOpen = true;

  constructor({ socket, peer, wireBytes }: Visitor, lineBytes: number) {
    socket.setNoDelay(true);
    this.peer = peer;
    this.wireBytes = wireBytes;
    this.#socket = socket;
    this.#writer = new BatchedWriter(socket);
    this.#reader = new FrameReader(lineBytes, this);
  }

  serve(events: ConnectionEvents): void {
    this.#events = events;
    const socket = this.#socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => {
      this.#broken = error.message;
    });
    socket.on('close', () => events.closed(this.#broken));
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** Nothing, once a close frame was sent: RFC 6455, 5.5.1. */
  send(text: string): void {
    if (this.#isOpen) this.#writer.write(textFrame(text));
  }

  sendShared(line: SharedLine): void {
    if (this.#isOpen) this.#writer.writeNow(line.wsFrame);
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

  /** The rig answers with a close frame of its own, and is cut off where it does not. */
  close(why: number | Buffer = GOING_AWAY): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#writer.write(closeFrame(why));
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_GRACE_MS);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  onMessage(text: string): void {
    const lines = linesOf(text);
    this.#frames += lines.length;
    for (const line of lines) if (line !== '') this.#events?.line(line);
  }

  onPing(payload: Buffer): void {
    this.#frames++;
    this.#ping = payload;
  }

  onPong(): void {
    this.#frames++;
  }

  /** With the code that it sent, if it sent one. */
  onClose(payload: Buffer): void {
    this.close(payload.length < 2 ? NO_CODE : payload.subarray(0, 2));
    this.#socket.destroySoon();
  }

  onFault(code: number, reason: string): void {
    this.#events?.warnRig(reason);
    this.close(code);
    this.#socket.end();
    this.#events?.fault(reason);
  }

  #read(chunk: Buffer): void {
    this.#reader.push(chunk);
    this.#events?.received(chunk.length, this.#frames, this.#reader.open);
    this.#frames = 0;
    const ping = this.#ping;
    this.#ping = undefined;
    // RFC 6455, 5.5.3: the last ping suffices. Who does not read its pongs gets no more of them.
    if (ping && this.#isOpen && this.#socket.writableLength === 0) this.#writer.write(pongFrame(ping));
  }
}
