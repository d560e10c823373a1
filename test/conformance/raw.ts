/** Bytes to a node and back, over a socket of our own: what no HTTP client hides. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { until } from '../helpers/until.js';

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** As on the wire: chunks and all. */
  readonly body: string;
  /** Our own end of the connection, as the node sees it. */
  readonly from: string;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface RawStream extends Disposable {
  readonly answer: RawAnswer;
  /** The events so far, with the chunks' frames taken off. */
  events(): string;
  until(what: string, wanted: (events: string) => boolean): Promise<string>;
  /** Whether the last, empty chunk came: the end of a body as it should be. */
  ends(): boolean;
}

/** One request on a connection of its own, read to its end. */
export async function rawAsk(url: string, request: RawRequest = {}): Promise<RawAnswer> {
  const socket = await open(url);
  const bytes = collect(socket);
  socket.write(requestBytes(url, { ...request, headers: { connection: 'close', ...request.headers } }));
  const from = `${socket.localAddress}:${socket.localPort}`;
  await once(socket, 'close');
  return { ...split(bytes()), from };
}

/** Opens a stream and waits for its head. */
export async function rawStream(url: string, request: RawRequest = {}): Promise<RawStream> {
  const socket = await open(url);
  const bytes = collect(socket);
  socket.write(requestBytes(url, request));
  await until('the head of the stream', () => bytes().includes('\r\n\r\n'));
  const from = `${socket.localAddress}:${socket.localPort}`;
  const events = (): string => unchunked(split(bytes()).body);
  return {
    answer: { ...split(bytes()), from },
    events,
    until: (what, wanted) => until(what, () => (wanted(events()) ? events() : undefined)),
    ends: () => bytes().endsWith('\r\n0\r\n\r\n'),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

export async function open(url: string): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === 'https:';
  const socket = secure
    ? connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false })
    : connect(Number(port), hostname);
  await once(socket, secure ? 'secureConnect' : 'connect');
  // A reset is a way of closing, too.
  socket.on('error', () => {});
  return socket;
}

/** Everything received so far, one character a byte. */
export function collect(socket: Socket): () => string {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('latin1');
}

export function requestBytes(url: string, { method = 'GET', headers = {}, body }: RawRequest): Buffer {
  const { host, pathname, search } = new URL(url);
  const content = Buffer.from(body ?? '');
  const all = { host, ...(body === undefined ? {} : { 'content-length': content.length }), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`),
    content,
  ]);
}

function split(text: string): Omit<RawAnswer, 'from'> {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line) => {
    const [name = '', ...rest] = line.split(': ');
    return [name.toLowerCase(), rest.join(': ')] as const;
  });
  return { status: Number(statusLine.split(' ')[1]), headers: new Map(headers), body: text.slice(end + 4) };
}

/** Takes the sizes and line ends of chunked transfer off. */
function unchunked(body: string): string {
  let text = '';
  let rest = body;
  for (;;) {
    const end = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.slice(0, end), 16);
    if (end === -1 || !(size > 0) || rest.length < end + 2 + size) return text;
    text += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 2 + size + 2);
  }
}
