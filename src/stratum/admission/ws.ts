/** Sessions over WebSocket: JSON text, one message or several with line ends between them to a frame. */
import type { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import type { Peer } from '../../core/names/peer.js';
import { FrameWatch } from '../../wire/frames.js';
import { COSTS } from './address.js';
import {
  type Accept,
  BatchedWriter,
  CLOSE_GRACE_MS,
  type Connection,
  type SharedLine,
  textFrame,
} from './connection.js';
import type { Visitor } from './front.js';
import type { StratumLimits } from './limits.js';

const NO_UPGRADE = 'This is a Stratum port: connect with a WebSocket client.\n';
const NO_PAGE = 'This web page may not connect: its origin is not in stratum.origins of the bridge.\n';
const FORBIDDEN = `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${NO_PAGE.length}\r\n\r\n${NO_PAGE}`;
const GOING_AWAY = 1001;
/** Of `readyState`. */
const OPEN = 1;
const LINE_END = /\r?\n/;

/** Rigs send a message in one piece; each piece costs far more than its bytes. */
const MAX_FRAGMENTS = 16;

interface WsRules {
  readonly limits: Pick<StratumLimits, 'lineBytes'>;
  /** Web pages that may connect, by their Origin; `*` for all. Rigs name none. */
  readonly origins: readonly string[];
}

/** Speaks HTTP on sockets that are handed to it, until they are WebSockets. */
export class WsFront {
  readonly #accept: Accept;
  readonly #http: Server;
  readonly #upgrader: WebSocketServer;
  readonly #rules: WsRules;
  readonly #visitors = new WeakMap<Socket, Visitor>();

  constructor(rules: WsRules, accept: Accept) {
    this.#accept = accept;
    this.#rules = rules;
    const upgrading: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxFragments: MAX_FRAGMENTS,
      autoPong: false,
      closeTimeout: CLOSE_GRACE_MS,
    };
    this.#upgrader = new WebSocketServer(upgrading);
    this.#http = createServer((_request, response) => {
      response.writeHead(426, { 'content-type': 'text/plain', connection: 'close' }).end(NO_UPGRADE);
    });
    this.#http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const { origin } = request.headers;
      if (origin !== undefined && !rules.origins.includes('*') && !rules.origins.includes(origin)) {
        socket.end(FORBIDDEN);
        return;
      }
      this.#upgrader.options.maxPayload = this.#rules.limits.lineBytes;
      this.#upgrader.handleUpgrade(request, socket, head, (webSocket) => this.#serve(webSocket, socket));
    });
  }

  /** It has arrived once it has become a WebSocket. */
  handle(visitor: Visitor): void {
    const { socket } = visitor;
    this.#visitors.set(socket, visitor);
    visitor.spend(COSTS.webSocket);
    this.#http.emit('connection', socket);
  }

  #serve(webSocket: WebSocket, socket: Socket): void {
    const visitor = this.#visitors.get(socket);
    if (!visitor) throw new Error('a WebSocket came from nowhere');
    this.#visitors.delete(socket);
    visitor.arrived();
    const events = this.#accept(new WsConnection(webSocket, visitor));
    let broken: string | undefined;
    let frames = 0;
    const count = (): void => {
      frames++;
    };
    const watch = new FrameWatch();
    let ping: Buffer | undefined;
    webSocket.on('pong', count);
    webSocket.on('ping', (data) => {
      count();
      ping = data;
    });
    webSocket.on('message', (data: Buffer) => {
      const lines = linesOf(data.toString());
      frames += lines.length;
      for (const line of lines) if (line !== '') events.line(line);
    });
    // `ws` sends its close frame before it tells of a fault, and nothing may follow that frame: so its reader, of which it says
    // nothing, is heard before it.
    const { _receiver: reader } = webSocket as WebSocket & { readonly _receiver?: EventEmitter };
    reader?.prependListener('error', (error: Error) => events.warnRig(error.message));
    webSocket.on('error', (error) => events.fault(error.message));
    webSocket.on('close', () => events.closed(broken));
    // After the reader of `ws`, which hands on all frames of a chunk before it returns.
    socket.on('data', (chunk: Buffer) => {
      watch.push(chunk);
      events.received(chunk.length, frames, watch.open);
      frames = 0;
      // RFC 6455, 5.5.3: the last ping suffices. Who does not read its pongs gets no more of them.
      if (ping && socket.writableLength === 0) webSocket.pong(ping);
      ping = undefined;
    });
    socket.on('error', (error) => {
      broken = error.message;
    });
  }
}

/** At least one. A line end at the end begins no further line. */
function linesOf(text: string): readonly string[] {
  if (!text.includes('\n')) return [text];
  const lines = text.split(LINE_END);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Frames are written to the socket itself, so that one framed buffer serves all sessions. One class, as in tcp.ts. */
class WsConnection implements Connection {
  readonly transport = 'ws';
  readonly peer: Peer;
  readonly wireBytes: Connection['wireBytes'];
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #writer: BatchedWriter;

  constructor(webSocket: WebSocket, { socket, peer, wireBytes }: Visitor) {
    socket.setNoDelay(true);
    this.peer = peer;
    this.wireBytes = wireBytes;
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#writer = new BatchedWriter(socket);
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** Nothing, once a close frame was sent: RFC 6455, 5.5.1. */
  send(text: string): void {
    if (this.#isOpen) this.#writer.write(textFrame(text));
  }

  sendShared(line: SharedLine): void {
    if (this.#isOpen) this.#socket.write(line.wsFrame);
  }

  whenSent(callback: () => void): void {
    this.#socket.write('', (error) => error ?? callback());
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  close(): void {
    this.#webSocket.close(GOING_AWAY);
  }

  get #isOpen(): boolean {
    return this.#webSocket.readyState === OPEN;
  }
}
