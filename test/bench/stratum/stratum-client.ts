/** A rig as benchmarks have thousands of. */
import { connect, type Socket } from 'node:net';

/** The load: clients of few bytes each, with frames made by hand. */
export class Client {
  readonly socket: Socket;
  login = 'account.rig';
  /** Of the first job that it got. */
  jobId = '';
  onFrame: (payload: Buffer) => void = () => undefined;
  #rest = Buffer.alloc(0);
  #upgraded = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
  }

  /** Bound to no address before it connects: bound ports are taken for all servers at once, and a machine runs out of them. */
  static async open(port: number): Promise<Client> {
    const socket = connect({ host: '127.0.0.1', port });
    const client = new Client(socket);
    const key = Buffer.alloc(16, 1).toString('base64');
    socket.write(
      `GET / HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      client.onFrame = () => resolve();
    });
    return client;
  }

  /** The mask is zero, which masks nothing and is allowed. */
  send(text: string): void {
    const payload = Buffer.from(text);
    const head =
      payload.length < 126
        ? Buffer.of(0x81, 0x80 | payload.length)
        : Buffer.of(0x81, 0xfe, payload.length >> 8, payload.length & 0xff);
    this.socket.write(Buffer.concat([head, Buffer.alloc(4), payload]));
  }

  #take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    if (!this.#upgraded) {
      const end = this.#rest.indexOf('\r\n\r\n');
      if (end === -1) return;
      this.#upgraded = true;
      this.#rest = this.#rest.subarray(end + 4);
      this.onFrame(Buffer.alloc(0));
    }
    for (;;) {
      const short = (this.#rest[1] ?? 0) & 0x7f;
      const head = short === 126 ? 4 : 2;
      if (this.#rest.length < head) return;
      const length = short === 126 ? this.#rest.readUInt16BE(2) : short;
      if (this.#rest.length < head + length) return;
      const payload = this.#rest.subarray(head, head + length);
      this.#rest = this.#rest.subarray(head + length);
      this.onFrame(payload);
    }
  }
}

let nextRig = 0;

/** A rig of its own name, subscribed and authorized, with a job. */
export function becomeReady(client: Client): Promise<void> {
  client.login = `account.rig${nextRig++}`;
  return new Promise((resolve, reject) => {
    client.socket.once('close', () => reject(new Error('a connection was closed before it had a job')));
    client.onFrame = (payload) => {
      if (!payload.includes('mining.notify')) return;
      client.jobId = jobIdIn(payload);
      resolve();
    };
    client.send('{"id":1,"method":"mining.subscribe","params":["bench",null]}');
    client.send(`{"id":2,"method":"mining.authorize","params":["${client.login}","x"]}`);
  });
}

/** Of a `mining.notify`; empty in any other message. */
export function jobIdIn(payload: Buffer): string {
  return /"mining.notify","params":\["(\w+)"/.exec(String(payload))?.[1] ?? '';
}

let nextNonce = 0;

export function submitLine(login: string, jobId: string): string {
  const nonce2 = (nextNonce++).toString(16).padStart(12, '0');
  return `{"id":"share ${nextNonce}","method":"mining.submit","params":["${login}","${jobId}","${nonce2}"]}`;
}
