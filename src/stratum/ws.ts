/** Sessions over WebSocket: JSON text, one message or several with line ends between them to a frame. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { type Accept, batchedWriter, CLOSE_GRACE_MS, type Connection, textFrame } from './connection.js';
import type { Peer } from './peer.js';

const NO_UPGRADE = 'This is a Stratum port: connect with a WebSocket client.\n';
const GOING_AWAY = 1001;
const LINE_END = /\r?\n/;

interface Visitor {
  readonly peer: Peer;
  readonly arrived: () => void;
}

/** Speaks HTTP on sockets that are handed to it, until they are WebSockets. */
export class WsFront {
  readonly #accept: Accept;
  readonly #http: Server;
  readonly #upgrader: WebSocketServer;
  readonly #visitors = new WeakMap<Socket, Visitor>();

  constructor(lineBytes: number, accept: Accept) {
    this.#accept = accept;
    const upgrading: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: lineBytes,
      closeTimeout: CLOSE_GRACE_MS,
    };
    this.#upgrader = new WebSocketServer(upgrading);
    this.#http = createServer((_request, response) => {
      response.writeHead(426, { 'content-type': 'text/plain', connection: 'close' }).end(NO_UPGRADE);
    });
    this.#http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#upgrader.handleUpgrade(request, socket, head, (webSocket) => this.#serve(webSocket, socket));
    });
  }

  /** @param arrived called once the socket has become a WebSocket. */
  handle(socket: Socket, peer: Peer, arrived: () => void): void {
    this.#visitors.set(socket, { peer, arrived });
    this.#http.emit('connection', socket);
  }

  #serve(webSocket: WebSocket, socket: Socket): void {
    const visitor = this.#visitors.get(socket);
    if (!visitor) throw new Error('a WebSocket came from nowhere');
    visitor.arrived();
    const events = this.#accept(connectionOver(webSocket, socket, visitor.peer));
    let broken: string | undefined;
    webSocket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text !== '' && !text.includes('\n')) events.line(text);
      else for (const line of text.split(LINE_END)) if (line !== '') events.line(line);
    });
    webSocket.on('error', (error) => events.fault(error.message));
    webSocket.on('close', () => events.closed(broken));
    socket.on('error', (error) => {
      broken = error.message;
    });
  }
}

/** Frames are written to the socket itself, so that one framed buffer serves all sessions. */
function connectionOver(webSocket: WebSocket, socket: Socket, peer: Peer): Connection {
  socket.setNoDelay(true);
  const write = batchedWriter(socket);
  return {
    transport: 'ws',
    peer,
    get unsentBytes() {
      return socket.writableLength;
    },
    send: (text) => write(textFrame(text)),
    sendShared: (line) => void socket.write(line.wsFrame),
    whenSent: (callback) => void socket.write('', (error) => error ?? callback()),
    pause: () => webSocket.pause(),
    resume: () => webSocket.resume(),
    close: () => webSocket.close(GOING_AWAY),
  };
}
