/** A connection to a pool: lines in, lines out, whatever carries them. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import { LineCutter } from './lines.js';

/** The longest message of the dialect has about 700 bytes. */
const MAX_LINE_BYTES = 65_536;
const KEEP_ALIVE_MS = 30_000;
const PLAIN_PORT = 1917;

export interface Wire {
  send(line: string): void;
  close(): void;
}

/** `closed` is called once, whether the wire was ever open or not. */
export interface WireEvents {
  opened(): void;
  line(line: string): void;
  closed(reason: string): void;
}

export interface WireOptions {
  /** For the connection to stand. */
  readonly timeoutMs: number;
  /** Takes any certificate. */
  readonly tlsInsecure: boolean;
}

/** The address of a pool is wrong; the message says how it should look. */
export class PoolUrlError extends Error {
  override readonly name = 'PoolUrlError';
  readonly code = 'pool-url';
}

const TRANSPORTS: Record<string, 'ws' | 'tcp' | 'tls'> = {
  'ws:': 'ws',
  'wss:': 'ws',
  'tcp:': 'tcp',
  'stratum+tcp:': 'tcp',
  'tls:': 'tls',
  'ssl:': 'tls',
  'stratum+tls:': 'tls',
  'stratum+ssl:': 'tls',
};

/** What the address of a pool may begin with. */
export const POOL_PROTOCOLS = Object.keys(TRANSPORTS);

/** The address without who logs in: for logs. */
export function poolName(url: URL): string {
  const name = new URL(url);
  name.username = '';
  name.password = '';
  return name.href;
}

/** Checks an address of a pool. Throws {@link PoolUrlError}. */
export function parsePoolUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname || !(url.protocol in TRANSPORTS)) {
    throw new PoolUrlError(
      `a pool's address looks like ws://host:1918, wss://, tcp:// or tls://, not ${text}`,
    );
  }
  return url;
}

/** Starts to connect. */
export function openWire(url: URL, options: WireOptions, events: WireEvents): Wire {
  const transport = TRANSPORTS[url.protocol];
  return transport === 'ws' ? openWebSocket(url, options, events) : openSocket(url, options, events);
}

function openWebSocket(url: URL, options: WireOptions, events: WireEvents): Wire {
  const socket = new WebSocket(url, {
    handshakeTimeout: options.timeoutMs,
    rejectUnauthorized: !options.tlsInsecure,
    maxPayload: MAX_LINE_BYTES,
    perMessageDeflate: false,
  });
  let reason = '';
  socket.on('open', () => events.opened());
  socket.on('message', (data) => {
    for (const line of data.toString().split('\n')) if (line.trim() !== '') events.line(line);
  });
  socket.on('error', (error) => {
    reason ||= describe(error);
  });
  socket.on('close', (code, text) =>
    events.closed(reason || `closed with code ${code} ${text.toString()}`.trim()),
  );
  return { send: (line) => socket.send(line), close: () => socket.terminate() };
}

function openSocket(url: URL, options: WireOptions, events: WireEvents): Wire {
  const address = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || PLAIN_PORT };
  const encrypted = TRANSPORTS[url.protocol] === 'tls';
  const socket: Socket = encrypted
    ? connectTls({ ...address, ...serverName(address.host), rejectUnauthorized: !options.tlsInsecure })
    : connect(address);
  const cutter = new LineCutter(MAX_LINE_BYTES);
  let reason = '';
  const fail = (why: string): void => {
    reason ||= why;
    socket.destroy();
  };
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  socket.setTimeout(options.timeoutMs, () => fail(`no connection within ${options.timeoutMs} ms`));
  socket.on(encrypted ? 'secureConnect' : 'connect', () => {
    socket.setTimeout(0);
    events.opened();
  });
  socket.on('data', (chunk: Buffer) => {
    const lines = cutter.push(chunk);
    if (!lines) fail(`a line longer than ${MAX_LINE_BYTES} bytes`);
    for (const line of lines ?? []) if (line.trim() !== '') events.line(line);
  });
  socket.on('error', (error) => fail(describe(error)));
  socket.on('end', () => fail('the pool closed the connection'));
  socket.on('close', () => events.closed(reason || 'closed'));
  return { send: (line) => socket.write(`${line}\n`), close: () => socket.destroy() };
}

/** A host is told to the pool by its name; an address is none (RFC 6066). */
function serverName(host: string): { servername?: string } {
  return isIP(host) ? {} : { servername: host };
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
]);

function describe(error: NodeJS.ErrnoException): string {
  // A host with several addresses gives one error for each of them.
  const each = error instanceof AggregateError ? error.errors.map((one: Error) => one.message) : [];
  const text = each.length > 0 ? each.join('; ') : error.message;
  return UNTRUSTED.has(error.code ?? '') ? `${text} (--tls-insecure takes any certificate)` : text;
}
