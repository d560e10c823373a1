/**
 * What a socket passes before it is a rig's: is it let in, who is it (PROXY protocol), does it speak TLS.
 *
 * TLS and plain text share a port: a TLS hello begins with 0x16, JSON and HTTP do not.
 */
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Log } from '../../core/names/log.js';
import { type Peer, peerAt, plainAddress } from '../../core/names/peer.js';
import type { Wanted } from '../rig-rules.js';
import { type Addresses, COSTS } from './address.js';
import type { AddressList } from './address-list.js';
import type { Admission } from './admission.js';
import { ConnectLimit, type ConnectLimitRules } from './connect-limit.js';
import type { StratumLimits } from './limits.js';
import { parseProxyHeader } from './proxy-protocol.js';

const TLS_HANDSHAKE = 0x16;
const NOTHING = Buffer.alloc(0);

export interface ArrivalsOptions {
  readonly admission: Admission;
  readonly addresses: Addresses;
  readonly limits: ConnectLimitRules & Pick<StratumLimits, 'handshakeTimeoutMs'>;
  readonly nowMs: () => number;
  /** The certificate in force; without one, TLS is refused. */
  readonly secureContext: (() => SecureContext) | undefined;
  readonly log: Log;
}

/** Hands a socket on. */
export type Serve = (visitor: Visitor) => void;

/** What a port asks of a connection before it is handed on; it may change. */
interface PortAdmission {
  /** Without a certificate there is none. */
  readonly tls: Wanted;
  /** Of a PROXY header, with which connections of {@link balancers} begin and no others. */
  readonly proxy: Wanted;
  readonly balancers: Pick<AddressList, 'has'>;
  /** Why nobody may come from this address; `undefined` where they may. */
  whyShut(host: string): string | undefined;
}

export interface Visitor {
  readonly socket: Socket;
  readonly peer: Peer;
  /** To be called when its own handshake, if it has one, is done. */
  readonly arrived: () => void;
  /** What was read from the wire so far, where there is TLS: its records may be empty. */
  readonly wireBytes: (() => number) | undefined;
  /** Takes what its way to a session costs, in messages, from the budget of its address. */
  readonly spend: (messages: number) => void;
}

interface Arriving {
  /** The balancer, until the turn of who is behind it has come. */
  readonly peer: Peer;
  readonly port: PortAdmission;
  readonly sinceMs: number;
}

export class Arrivals {
  readonly #options: ArrivalsOptions;
  /** TLS sockets are known by the one below them. */
  readonly #sockets = new Set<Socket>();
  readonly #arriving = new Map<Socket, Arriving>();
  readonly #connectLimit: ConnectLimit;
  #refused = 0;
  /** Since it was last said. */
  #isStormy = false;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
    this.#connectLimit = new ConnectLimit(options.limits, options.nowMs);
  }

  limitsChanged(): void {
    this.#connectLimit.rulesChanged();
  }

  /** Connections whose turn has not come yet. */
  get waiting(): number {
    return this.#connectLimit.waiting;
  }

  /** Connections that were not let in. */
  get refused(): number {
    return this.#refused;
  }

  open(socket: Socket, port: PortAdmission, serve: Serve): void {
    const { nowMs } = this.#options;
    const host = plainAddress(socket.remoteAddress ?? '');
    const peer = peerAt(host, socket.remotePort ?? 0);
    this.#sockets.add(socket);
    this.#arriving.set(socket, { peer, port, sinceMs: nowMs() });
    // Until a session listens: a reset here is nobody's news.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#arriving.delete(socket);
    });
    if (host === '') socket.destroy();
    else if (port.proxy !== 'off' && port.balancers.has(host))
      this.#readProxyHeader(socket, peer, port, serve);
    else if (port.proxy === 'only')
      this.#refuse(socket, peer, 'it is no balancer, and this port is for those alone');
    else if (this.#letIn(socket, peer, port)) this.#inTurn(socket, NOTHING, peer, port, serve);
  }

  /** TLS or not is said by the first byte, where both may be. */
  #serve(socket: Socket, peer: Peer, port: PortAdmission, serve: Serve): void {
    if (port.tls === 'off' || (port.tls === 'also' && !this.#options.secureContext))
      this.#hand(socket, socket, peer, serve);
    else peek(socket, (bytes) => this.#serveEither(socket, bytes, peer, port, serve));
  }

  /** Cuts what has not become a session in time. */
  tick(nowMs: number): void {
    const { handshakeTimeoutMs } = this.#options.limits;
    if (this.#connectLimit.waiting === 0) this.#isStormy = false;
    for (const [socket, { peer, sinceMs }] of this.#arriving) {
      if (nowMs - sinceMs <= handshakeTimeoutMs || this.#connectLimit.isWaiting(socket)) continue;
      this.#options.log.debug({ peer: peer.text }, 'a connection did not come to a session in time');
      socket.destroy();
    }
  }

  /** Cuts what is not a session yet, of this address or of all. */
  turnAway(addressKey?: string): void {
    for (const [socket, { peer }] of this.#arriving)
      if (addressKey === undefined || peer.addressKey === addressKey)
        this.#refuse(socket, peer, 'it came too late');
  }

  /** Cuts what is not a session yet, and may not come any more. */
  listsChanged(): void {
    for (const [socket, { peer, port }] of this.#arriving) {
      // Who is behind it may not be known yet.
      if (port.proxy !== 'off' && port.balancers.has(peer.host)) continue;
      const why = port.whyShut(peer.host);
      if (why !== undefined) this.#refuse(socket, peer, why);
    }
  }

  /** Cuts what is not a session yet, and resolves when every socket is closed. */
  async close(): Promise<void> {
    this.#connectLimit.close();
    for (const socket of this.#arriving.keys()) socket.destroy();
    const closed = [...this.#sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    await Promise.all(closed);
  }

  #letIn(socket: Socket, peer: Peer, port: PortAdmission): boolean {
    const { admission, addresses, nowMs } = this.#options;
    const address = addresses.at(peer.addressKey, nowMs());
    const refusal = port.whyShut(peer.host) ?? admission.admit(address, nowMs());
    if (refusal === undefined) {
      socket.once('close', () => admission.leave(address));
      return true;
    }
    this.#refuse(socket, peer, refusal);
    return false;
  }

  #refuse(socket: Socket, peer: Peer, reason: string): void {
    this.#refused++;
    this.#options.log.debug({ peer: peer.text, reason }, 'a connection is refused');
    socket.destroy();
  }

  /** Its time for a handshake begins with its turn. */
  #inTurn(socket: Socket, first: Buffer, peer: Peer, port: PortAdmission, serve: Serve): void {
    const { nowMs, log, limits, addresses } = this.#options;
    this.#connectLimit.enter({
      socket,
      first,
      address: addresses.at(peer.addressKey, nowMs()),
      go: () => {
        if (this.#arriving.has(socket)) this.#arriving.set(socket, { peer, port, sinceMs: nowMs() });
        const why = port.whyShut(peer.host);
        if (why === undefined) this.#serve(socket, peer, port, serve);
        else this.#refuse(socket, peer, why);
      },
      refuse: (why) => this.#refuse(socket, peer, why),
    });
    if (this.#connectLimit.waiting > 0 && !this.#isStormy)
      log.warn(
        { perSecond: limits.connectsPerSecond },
        'connections come faster than they are let in: they wait',
      );
    if (this.#connectLimit.waiting > 0) this.#isStormy = true;
  }

  #readProxyHeader(socket: Socket, balancer: Peer, port: PortAdmission, serve: Serve): void {
    peek(socket, (bytes) => {
      const header = parseProxyHeader(bytes);
      if (header.kind === 'more') return 'more';
      if (header.kind === 'fault') {
        this.#options.log.warn(
          { balancer: balancer.text, fault: header.detail },
          'a balancer is not understood',
        );
        socket.destroy();
        return 'done';
      }
      const { source, length } = header;
      const peer = source ? peerAt(plainAddress(source.host), source.port) : balancer;
      if (this.#letIn(socket, peer, port)) this.#inTurn(socket, bytes.subarray(length), peer, port, serve);
      return 'done';
    });
  }

  /** Puts the bytes back and hands the socket on as what its first byte says. */
  #serveEither(socket: Socket, bytes: Buffer, peer: Peer, { tls }: PortAdmission, serve: Serve): Peeked {
    const { log } = this.#options;
    const secureContext = tls === 'off' ? undefined : this.#options.secureContext;
    const isTls = bytes[0] === TLS_HANDSHAKE;
    socket.pause();
    socket.unshift(bytes);
    if (isTls && secureContext) {
      const secured = new TLSSocket(socket, { isServer: true, secureContext: secureContext() });
      secured.on('error', () => socket.destroy());
      // All that Node.js says of a broken record when the socket is not one of its own TLS servers.
      secured.on('_tlsError', (error: Error) => secured.destroy(error));
      this.#hand(secured, socket, peer, serve);
    } else if (isTls || tls === 'only') {
      const why = isTls
        ? 'a connection wants TLS, which there is not'
        : 'a connection is without TLS, and has to have it';
      log.debug({ peer: peer.text }, why);
      socket.destroy();
    } else {
      this.#hand(socket, socket, peer, serve);
      socket.resume();
    }
    return 'done';
  }

  #hand(socket: Socket, raw: Socket, peer: Peer, serve: Serve): void {
    const { addresses, nowMs } = this.#options;
    const wireBytes = socket === raw ? undefined : (): number => raw.bytesRead;
    const spend = (messages: number): void =>
      void addresses.at(peer.addressKey, nowMs()).charge(messages, nowMs());
    if (socket !== raw) spend(COSTS.tls);
    serve({ socket, peer, arrived: () => this.#arriving.delete(raw), wireBytes, spend });
  }
}

/** Hands a connection to the one or the other by its first bytes: an HTTP request is the beginning of a WebSocket. */
export function serveByFirstBytes(http: Serve, lines: Serve): Serve {
  return (visitor) => {
    const { socket } = visitor;
    peek(socket, (bytes) => {
      const is = isHttp(bytes);
      if (is === undefined) return 'more';
      socket.pause();
      socket.unshift(bytes);
      (is ? http : lines)(visitor);
      socket.resume();
      return 'done';
    });
  };
}

/** More than any method of HTTP has. */
const METHOD_BYTES = 20;

/** A request line is a word in capital letters and a blank; JSON never begins so. `undefined`: too few bytes to tell. */
function isHttp(bytes: Buffer): boolean | undefined {
  const text = bytes.toString('latin1', 0, METHOD_BYTES + 1);
  if (/^[A-Z]+$/.test(text) && text.length <= METHOD_BYTES) return undefined;
  return /^[A-Z]+ /.test(text);
}

type Peeked = 'more' | 'done';
/** Enough for any PROXY header; what needs more is not understood. */
const MAX_PEEKED_BYTES = 4096;

/** Shows what has come until `look` is done with it. */
function peek(socket: Socket, look: (bytes: Buffer) => Peeked): void {
  let seen: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    socket.off('data', onData);
    if (look(seen) === 'done') return;
    if (seen.length > MAX_PEEKED_BYTES) socket.destroy();
    else socket.on('data', onData);
  };
  socket.on('data', onData);
}
