/** A rig of bare wires for tests: sends what it is told, and keeps every line that comes. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as secureConnect, TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import { PATIENCE_MS } from '../until.js';

export type WireTransport = 'tcp' | 'ws' | 'tls' | 'wss';
export const WIRE_TRANSPORTS: readonly WireTransport[] = ['tcp', 'ws', 'tls', 'wss'];

export interface WireOptions {
  /** The certificate to trust, PEM. */
  ca?: string;
  /** Sent before anything else, TLS included. */
  preamble?: Uint8Array;
  localAddress?: string;
  /** This machine by default. Over TCP alone. */
  host?: string;
}

export interface WireMessage {
  id?: unknown;
  method?: string;
  params?: unknown[];
  result?: unknown;
  error?: [number, string, null] | null;
}

export class WireRig {
  readonly lines: string[] = [];
  readonly #messages: WireMessage[] = [];
  closed = false;
  readonly #waiting = new Set<() => void>();
  readonly #socket: Socket;
  readonly #webSocket: WebSocket | undefined;
  #taken = 0;

  constructor(socket: Socket, webSocket?: WebSocket) {
    this.#socket = socket;
    this.#webSocket = webSocket;
    let rest = '';
    const take = (text: string): void => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      this.lines.push(...parts);
      this.#wake();
    };
    if (webSocket) webSocket.on('message', (data) => take(`${data}\n`));
    else socket.on('data', (data) => take(String(data)));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  static async connect(transport: WireTransport, port: number, options: WireOptions = {}): Promise<WireRig> {
    const { ca, preamble, localAddress, host = '127.0.0.1' } = options;
    const raw = connect({ host, port, ...(localAddress ? { localAddress } : {}) });
    raw.on('error', () => undefined);
    if (preamble) raw.write(preamble);
    const secure = transport === 'tls' || transport === 'wss';
    const socket = secure ? secureConnect({ socket: raw, host: '127.0.0.1', ...(ca ? { ca } : {}) }) : raw;
    if (transport === 'tcp' || transport === 'tls') {
      await new Promise((resolve, reject) =>
        socket
          .once(secure ? 'secureConnect' : 'connect', resolve)
          .once('error', reject)
          .once('close', reject),
      );
      return new WireRig(socket);
    }
    return await WireRig.#upgrade(socket, port);
  }

  static async #upgrade(socket: Socket, port: number): Promise<WireRig> {
    const webSocket = new WebSocket(`ws://127.0.0.1:${port}`, { createConnection: () => socket });
    const opened = new Promise<WireRig>((resolve, reject) => {
      // The first frames may come with the answer, so the rig listens from here on.
      webSocket.once('upgrade', () => resolve(new WireRig(socket, webSocket)));
      webSocket.on('error', reject);
    });
    const rig = await opened;
    if (webSocket.readyState !== WebSocket.OPEN)
      await new Promise((resolve) => webSocket.once('open', resolve));
    return rig;
  }

  send(line: string): void {
    if (this.#webSocket) this.#webSocket.send(line);
    else this.#socket.write(`${line}\n`);
  }

  /** Bytes as they are: a frame, or a piece of the stream. */
  sendBytes(bytes: Uint8Array): void {
    if (this.#webSocket) this.#webSocket.send(bytes);
    else this.#socket.write(bytes);
  }

  get socket(): Socket {
    return this.#socket;
  }

  /** Sends a request and waits for its answer, wherever it comes among the notices. */
  async request(id: unknown, method: string, params?: unknown): Promise<WireMessage> {
    const from = this.lines.length;
    this.send(JSON.stringify({ id, method, params }));
    return await this.until(
      (message) => 'result' in message && JSON.stringify(message.id) === JSON.stringify(id),
      from,
    );
  }

  /** The next message in order. */
  async next(): Promise<WireMessage> {
    await this.#wait(() => this.lines.length > this.#taken, 'a message');
    return this.#parse(this.#taken++);
  }

  /** The first message, also among those that came before, for which this holds. @param from which line on it looks. */
  async until(wanted: (message: WireMessage) => boolean, from = 0): Promise<WireMessage> {
    let seen = from;
    let found: WireMessage | undefined;
    const look = (): boolean => {
      while (!found && seen < this.lines.length) {
        const message = this.#parse(seen++);
        if (wanted(message)) found = message;
      }
      return found !== undefined;
    };
    await this.#wait(look, 'a certain message');
    if (!found) throw new Error('unreachable');
    return found;
  }

  async untilClosed(): Promise<void> {
    await this.#wait(() => this.closed, 'the end', true);
  }

  /** What came of one method so far. */
  notices(method: string): WireMessage[] {
    return this.lines.map((_, i) => this.#parse(i)).filter((message) => message.method === method);
  }

  /** Forgets all lines but the last, for a rig that mines for long. Not while anything is waited for. */
  keepLast(count: number): void {
    const gone = Math.max(0, this.lines.length - count);
    this.lines.splice(0, gone);
    // A message stands at the place of its line.
    this.#messages.splice(0, gone);
    this.#taken = Math.max(0, this.#taken - gone);
  }

  close(): void {
    if (this.#webSocket) this.#webSocket.close();
    else this.#socket.end();
  }

  /** Without a goodbye. */
  vanish(): void {
    if (this.#socket instanceof TLSSocket) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  /** Each line once: a rig that mines for minutes has thousands of them, and looks at them with each share. */
  #parse(index: number): WireMessage {
    const message = this.#messages[index] ?? (JSON.parse(this.lines[index] ?? 'null') as WireMessage);
    this.#messages[index] = message;
    return message;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  async #wait(done: () => boolean, what: string, closedIsFine = false): Promise<void> {
    const untilMs = performance.now() + PATIENCE_MS;
    while (!done()) {
      if (this.closed && !closedIsFine)
        throw new Error(`closed while waiting for ${what}; last came: ${this.lines.slice(-3)}`);
      if (performance.now() > untilMs)
        throw new Error(`waited in vain for ${what}; last came: ${this.lines.slice(-3)}`);
      let wake: () => void = () => undefined;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      this.#waiting.add(wake);
      const timeout = new AbortController();
      await Promise.race([
        woken,
        sleep(PATIENCE_MS, undefined, { signal: timeout.signal }).catch(() => undefined),
      ]);
      timeout.abort();
      this.#waiting.delete(wake);
    }
  }
}
