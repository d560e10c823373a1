/** A small pool on real sockets: speaks the dialect by its own few lines and judges with node:crypto. */
import { createHash } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { type WebSocket, WebSocketServer } from 'ws';
import { viewOf } from '../../src/core/bytes/bytes.js';

export type PoolTransport = 'tcp' | 'ws' | 'tls' | 'wss';

export interface PoolScript {
  readonly nonce1?: string;
  readonly nonce2Bytes?: number;
  /** Instead of the usual answer; `undefined` gives the usual one. */
  answer?(request: PoolRequest, seat: PoolSeat): object | undefined;
  /** Sent after authorizing, instead of the target and the job. */
  greet?(seat: PoolSeat): void;
  /** In pieces of one byte. */
  readonly dribble?: boolean;
}

export interface PoolRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: (string | null)[];
}

export interface PoolSeat {
  send(message: object): void;
  sendText(text: string): void;
  sendTarget(hex: string): void;
  sendJob(id: string, header: Uint8Array): void;
  close(): void;
}

export interface ScriptedPool {
  readonly url: string;
  readonly requests: PoolRequest[];
  readonly seats: PoolSeat[];
  /** Whether the hash of each submit met the pool's target, in order. */
  readonly verdicts: boolean[];
  readonly nonces: bigint[];
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly transport: PoolTransport;
  readonly script?: PoolScript;
  readonly targetHex: string;
  readonly jobs: { id: string; header: Uint8Array }[];
  readonly port?: number;
  readonly tls?: { key: string; cert: string };
}

export async function startPool(options: PoolOptions): Promise<ScriptedPool> {
  const lists = { requests: [], seats: [], verdicts: [], nonces: [] };
  const pool = { ...lists } as Omit<ScriptedPool, 'url' | 'close'>;
  const { server, end } = listen(options, (seat) => {
    pool.seats.push(seat);
    return (line) => serve(options, pool, seat, JSON.parse(line) as PoolRequest);
  });
  await new Promise<void>((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { ...pool, url: `${options.transport}://127.0.0.1:${port}`, close: end };
}

type Greeter = (seat: PoolSeat) => (line: string) => void;

function listen(options: PoolOptions, greet: Greeter): { server: Server; end: () => Promise<void> } {
  const port = options.port ?? 0;
  if (options.transport === 'ws' || options.transport === 'wss') {
    const server = options.tls ? createHttpsServer(options.tls) : createHttpServer();
    const webSockets = new WebSocketServer({ server });
    webSockets.on('connection', (socket) => serveWebSocket(socket, greet));
    server.listen(port, '127.0.0.1');
    const end = (): Promise<void> => {
      for (const socket of webSockets.clients) socket.terminate();
      webSockets.close();
      return new Promise((resolve) => server.close(() => resolve()));
    };
    return { server, end };
  }
  const sockets = new Set<Socket>();
  const accept = (socket: Socket): void => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    serveSocket(socket, greet, options.script?.dribble ?? false);
  };
  const server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept);
  server.listen(port, '127.0.0.1');
  const end = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { server, end };
}

function seatOf(sendText: (text: string) => void, close: () => void): PoolSeat {
  const send = (message: object): void => sendText(JSON.stringify(message));
  return {
    send,
    sendText,
    close,
    sendTarget: (hex) => send({ id: null, method: 'mining.set_target', params: [hex] }),
    sendJob: (id, header) =>
      send({ id: null, method: 'mining.notify', params: [id, Buffer.from(header).toString('hex'), true] }),
  };
}

function serveWebSocket(socket: WebSocket, greet: Greeter): void {
  const onLine = greet(
    seatOf(
      (text) => socket.send(text),
      () => socket.close(),
    ),
  );
  socket.on('message', (data) => onLine(data.toString()));
}

function serveSocket(socket: Socket, greet: Greeter, dribble: boolean): void {
  const write = (text: string): void => {
    const bytes = Buffer.from(`${text}\r\n`);
    if (dribble) for (const byte of bytes) socket.write(Buffer.of(byte));
    else socket.write(bytes);
  };
  const onLine = greet(seatOf(write, () => socket.end()));
  let rest = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

function serve(
  options: PoolOptions,
  pool: Omit<ScriptedPool, 'url' | 'close'>,
  seat: PoolSeat,
  request: PoolRequest,
): void {
  const { script = {} } = options;
  pool.requests.push(request);
  const usual = script.answer?.(request, seat) ?? usualAnswer(options, pool, request);
  seat.send({ id: request.id, error: null, ...usual });
  if (request.method !== 'mining.authorize') return;
  if (script.greet) {
    script.greet(seat);
    return;
  }
  seat.sendTarget(options.targetHex);
  for (const { id, header } of options.jobs.slice(0, 1)) seat.sendJob(id, header);
}

function usualAnswer(
  options: PoolOptions,
  pool: Omit<ScriptedPool, 'url' | 'close'>,
  { method, params }: PoolRequest,
): object {
  const { nonce1 = '0123', nonce2Bytes = 6 } = options.script ?? {};
  if (method === 'mining.subscribe') return { result: [null, nonce1, nonce2Bytes] };
  if (method !== 'mining.submit') return { result: true };
  const job = options.jobs.find(({ id }) => id === params[1]);
  const nonce2Hex = params[2] ?? '';
  if (!job || nonce2Hex.length !== 2 * nonce2Bytes)
    return { result: false, error: [21, 'no such job', null] };
  const nonce = BigInt(`0x${nonce2Hex}${nonce1.padStart(16 - 2 * nonce2Bytes, '0')}`);
  const header = Uint8Array.from(job.header);
  viewOf(header).setBigUint64(278, nonce, true);
  const hash = createHash('blake2s256').update(header).digest().reverse().toString('hex');
  pool.nonces.push(nonce);
  pool.verdicts.push(hash <= options.targetHex);
  return hash <= options.targetHex
    ? { result: true }
    : { result: false, error: [23, 'low difficulty', null] };
}
