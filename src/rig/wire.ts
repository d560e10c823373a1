/** A connection to a pool: lines in, lines out, whatever carries them. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import { LineSplitter } from '../wire/lines.js';
import { TRANSPORTS } from './settings.js';

/** The longest message of the dialect has about 700 bytes. */
const MAX_LINE_BYTES = 65_536;
const KEEP_ALIVE_MS = 30_000;
const PLAIN_PORT = 1917;

export interface Wire {
  send(line: string): void;
  close(): void;
}

/** `closed` is called once, whether the wire was ever open or not. */
interface WireEvents {
  /** TCP stands; TLS or a WebSocket comes next. */
  reached?(): void;
  opened(): void;
  line(line: string): void;
  closed(reason: string): void;
}

/** The address of a pool is wrong; the message says how it should look. */
export class PoolUrlError extends Error {
  override readonly name = 'PoolUrlError';
  readonly code = 'pool-url';
}

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

/** Starts to connect, for at most `timeoutMs`. @param tlsInsecure takes any certificate. */
export function openWire(url: URL, timeoutMs: number, tlsInsecure: boolean, events: WireEvents): Wire {
  const open = TRANSPORTS[url.protocol] === 'ws' ? openWebSocket : openSocket;
  return open(url, timeoutMs, tlsInsecure, events);
}

function openWebSocket(url: URL, timeoutMs: number, tlsInsecure: boolean, events: WireEvents): Wire {
  const socket = new WebSocket(url, {
    handshakeTimeout: timeoutMs,
    rejectUnauthorized: !tlsInsecure,
    maxPayload: MAX_LINE_BYTES,
    perMessageDeflate: false,
    finishRequest: (request) => {
      request.on('socket', (below) => below.once('connect', () => events.reached?.()));
      request.end();
    },
  });
  let reason = '';
  socket.on('open', () => events.opened());
  socket.on('message', (data) => {
    for (const line of data.toString().split('\n')) for (const each of messagesIn(line)) events.line(each);
  });
  socket.on('error', (error) => {
    reason ||= describe(error);
  });
  socket.on('close', (code, text) =>
    events.closed(reason || `closed with code ${code} ${text.toString()}`.trim()),
  );
  return { send: (line) => socket.send(line), close: () => socket.terminate() };
}

function openSocket(url: URL, timeoutMs: number, tlsInsecure: boolean, events: WireEvents): Wire {
  const address = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || PLAIN_PORT };
  const encrypted = TRANSPORTS[url.protocol] === 'tls';
  const socket: Socket = encrypted
    ? connectTls({
        ...address,
        // A pool is told the name it was reached by; an address is none (RFC 6066).
        servername: isIP(address.host) ? '' : address.host,
        rejectUnauthorized: !tlsInsecure,
      })
    : connect(address);
  const lines = new LineSplitter(MAX_LINE_BYTES, (line) => {
    for (const each of messagesIn(line)) events.line(each);
  });
  let reason = '';
  const fail = (why: string): void => {
    reason ||= why;
    socket.destroy();
  };
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  socket.setTimeout(timeoutMs, () => fail(`no connection within ${timeoutMs} ms`));
  socket.on('connect', () => events.reached?.());
  socket.on(encrypted ? 'secureConnect' : 'connect', () => {
    socket.setTimeout(0);
    events.opened();
  });
  socket.on('data', (chunk: Buffer) => {
    if (!lines.push(chunk)) fail(`a line longer than ${MAX_LINE_BYTES} bytes`);
  });
  socket.on('error', (error) => fail(describe(error)));
  socket.on('end', () => fail('the pool closed the connection'));
  socket.on('close', () => events.closed(reason || 'closed'));
  return { send: (line) => socket.write(`${line}\n`), close: () => socket.destroy() };
}

/** The JSON values of a line: some servers write an answer and a job on one. What is no JSON stays in one piece. */
export function messagesIn(line: string): string[] {
  const messages: string[] = [];
  let [begin, depth, isText] = [0, 0, false];
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (isText && character === '\\') at++;
    else if (character === '"') isText = !isText;
    else if (!isText && (character === '{' || character === '[')) depth++;
    else if (!isText && (character === '}' || character === ']') && --depth === 0) {
      messages.push(line.slice(begin, at + 1));
      begin = at + 1;
    }
  }
  const rest = line.slice(begin);
  return rest.trim() === '' ? messages : [...messages, rest];
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
  return UNTRUSTED.has(error.code ?? '') ? `${text} (--insecure takes any certificate)` : text;
}
