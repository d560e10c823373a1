/** Sessions over WebSocket: JSON text, one message or several with line ends between them to a frame. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { type Accept, CLOSE_GRACE_MS, type Connection, textFrame } from './connection.js';
import { LineSplitter } from './lines.js';

const NO_UPGRADE = 'This is a Stratum port: connect with a WebSocket client.\n';
const GOING_AWAY = 1001;

export interface WsFrontOptions {
  readonly lineBytes: number;
  readonly handshakeTimeoutMs: number;
  readonly peerOf: (socket: Socket) => string;
  readonly accept: Accept;
}

/** Speaks HTTP on sockets that are handed to it, until they are WebSockets. */
export class WsFront {
  readonly #options: WsFrontOptions;
  readonly #http: Server;
  readonly #upgrader: WebSocketServer;

  constructor(options: WsFrontOptions) {
    this.#options = options;
    const upgrading: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.lineBytes,
      closeTimeout: CLOSE_GRACE_MS,
    };
    this.#upgrader = new WebSocketServer(upgrading);
    this.#http = createServer({ headersTimeout: options.handshakeTimeoutMs }, (_request, response) => {
      response.writeHead(426, { 'content-type': 'text/plain', connection: 'close' }).end(NO_UPGRADE);
    });
    this.#http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#upgrader.handleUpgrade(request, socket, head, (webSocket) => this.#serve(webSocket, socket));
    });
  }

  handle(socket: Socket): void {
    this.#http.emit('connection', socket);
  }

  #serve(webSocket: WebSocket, socket: Socket): void {
    const { lineBytes } = this.#options;
    const events = this.#options.accept(connectionOver(webSocket, socket, this.#options.peerOf(socket)));
    const lines = new LineSplitter(lineBytes, (line) => events.line(line));
    webSocket.on('message', (data: Buffer) => {
      lines.push(data);
      lines.flush();
    });
    webSocket.on('error', (error) => events.fault(error.message));
    webSocket.on('close', () => events.closed());
    socket.on('drain', () => events.drained());
  }
}

/** Frames are written to the socket itself, so that one framed buffer serves all sessions. */
function connectionOver(webSocket: WebSocket, socket: Socket, peer: string): Connection {
  socket.setNoDelay(true);
  return {
    transport: 'ws',
    peer,
    get unsentBytes() {
      return socket.writableLength;
    },
    send: (text) => void socket.write(textFrame(text)),
    sendShared: (line) => void socket.write(line.wsFrame),
    close: () => webSocket.close(GOING_AWAY),
  };
}
