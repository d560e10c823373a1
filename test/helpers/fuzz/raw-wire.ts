/** One connection to the bridge that sends bytes as it is told, whatever they are, and takes apart what comes back. */
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { WireTransport } from '../rigs/wire-rig.js';
import { PROPER_UPGRADE } from './scripts.js';

export interface RawWireOptions {
  readonly transport: WireTransport;
  readonly port: number;
  readonly localAddress: string;
  /** Before anything else, TLS included. */
  readonly header?: string | undefined;
  /** Instead of a proper upgrade. */
  readonly upgrade?: string | undefined;
  /** Lines or frames may be sent from now on. */
  onOpen?(): void;
  /** One line, or the text of one frame. */
  onText(text: string): void;
  /** What no bridge of ours sends. */
  onFault(fault: string): void;
}

const TEXT = 0x81;
const CLOSE = 0x88;
const PONG = 0x8a;
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

export class RawWire {
  closed = false;
  /** Lines or frames may be sent: for a WebSocket, the bridge took the upgrade. */
  isOpen = false;
  readonly #options: RawWireOptions;
  readonly #raw: Socket;
  readonly #socket: Socket;
  readonly #isWs: boolean;
  #came: Buffer = Buffer.alloc(0);
  #isUpgraded = false;
  #isEnding = false;

  constructor(options: RawWireOptions) {
    const { transport, port, localAddress, header, upgrade = PROPER_UPGRADE } = options;
    this.#options = options;
    this.#isWs = transport === 'ws' || transport === 'wss';
    const isSecure = transport === 'tls' || transport === 'wss';
    this.#raw = connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
    if (header !== undefined) this.#raw.write(header, 'latin1');
    // Whose certificate it is, is not what is looked at here.
    this.#socket = isSecure ? connectTls({ socket: this.#raw, rejectUnauthorized: false }) : this.#raw;
    this.#raw.on('error', () => this.#raw.destroy());
    this.#socket.on('error', () => this.#raw.destroy());
    this.#raw.on('close', () => this.#close());
    this.#socket.on('close', () => this.#close());
    // What the bridge ends is over.
    this.#socket.on('end', () => this.end());
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      if (this.#isWs) this.send(upgrade);
      else this.#open();
    });
  }

  /** A message, as a line or a frame; a character is a byte. */
  sendLine(line: string): void {
    this.send(this.#isWs ? frameOf(Buffer.from(line, 'latin1')) : `${line}\n`);
  }

  /** Bytes of the stream, above TLS where there is TLS. */
  send(bytes: string | Buffer): void {
    if (this.#socket.writable)
      this.#socket.write(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, 'latin1'));
  }

  sendBelow(bytes: string): void {
    if (this.#raw.writable) this.#raw.write(Buffer.from(bytes, 'latin1'));
  }

  /** In pieces, each of which the bridge may read before the next. */
  async sendCut(bytes: Buffer, cuts: readonly number[]): Promise<void> {
    let at = 0;
    for (const cut of cuts) {
      if (at >= bytes.length || this.closed) break;
      this.send(bytes.subarray(at, at + cut));
      at += cut;
      await turn();
    }
    if (at < bytes.length) this.send(bytes.subarray(at));
    await turn();
  }

  end(): void {
    this.#isEnding = true;
    this.#socket.end();
  }

  /** Node.js 20.20 cannot reset what is being shut down, and then leaves it open for good. */
  reset(): void {
    if (this.#isEnding) this.#raw.destroy();
    else this.#raw.resetAndDestroy();
  }

  #open(): void {
    this.isOpen = true;
    this.#options.onOpen?.();
  }

  #close(): void {
    this.closed = true;
    this.#raw.destroy();
  }

  #read(chunk: Buffer): void {
    this.#came = this.#came.length === 0 ? chunk : Buffer.concat([this.#came, chunk]);
    if (!this.#isWs) this.#readLines();
    else if (this.#isUpgraded) this.#readFrames();
    else this.#readUpgrade();
  }

  #readLines(): void {
    for (let from = 0; ; ) {
      const end = this.#came.indexOf(0x0a, from);
      if (end === -1) {
        this.#came = this.#came.subarray(from);
        return;
      }
      this.#options.onText(this.#came.toString('utf8', from, end));
      from = end + 1;
    }
  }

  #readUpgrade(): void {
    const end = this.#came.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#came.toString('latin1', 0, end);
    if (!/^HTTP\/1\.1 (101|400|403|405|408|413|426|431) /.test(head)) {
      this.#options.onFault(`an answer to an upgrade: ${head.slice(0, 100)}`);
    }
    if (!head.startsWith('HTTP/1.1 101 ')) return;
    this.#isUpgraded = true;
    this.#open();
    this.#came = this.#came.subarray(end + 4);
    this.#readFrames();
  }

  #readFrames(): void {
    for (;;) {
      const [first, second] = this.#came;
      if (first === undefined || second === undefined) return;
      const headBytes = second === 127 ? 10 : second === 126 ? 4 : 2;
      if (this.#came.length < headBytes) return;
      const length =
        headBytes === 10
          ? Number(this.#came.readBigUInt64BE(2))
          : headBytes === 4
            ? this.#came.readUInt16BE(2)
            : second;
      if (this.#came.length < headBytes + length) return;
      const payload = this.#came.subarray(headBytes, headBytes + length);
      this.#came = this.#came.subarray(headBytes + length);
      if (first === TEXT) this.#options.onText(payload.toString());
      // What the bridge closes is over.
      else if (first === CLOSE) this.end();
      else if (first !== PONG) this.#options.onFault(`a frame that begins with ${first}`);
    }
  }
}

/** A frame of a client, which may be none: the length may be another than that of the payload. */
export function frameOf(
  payload: Buffer,
  {
    first = 0x81,
    masked = true,
    length = payload.length,
  }: { first?: number; masked?: boolean; length?: number } = {},
): Buffer {
  const mask = masked ? 0x80 : 0;
  const long = Buffer.alloc(8);
  long.writeBigUInt64BE(BigInt(length));
  const head =
    length < 126
      ? Buffer.from([first, mask | length])
      : length < 65_536
        ? Buffer.from([first, mask | 126, length >> 8, length & 255])
        : Buffer.concat([Buffer.from([first, mask | 127]), long]);
  if (!masked) return Buffer.concat([head, payload]);
  return Buffer.concat([head, MASK, payload.map((byte, i) => byte ^ (MASK[i & 3] ?? 0))]);
}
