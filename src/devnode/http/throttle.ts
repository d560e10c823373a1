/** How often one address may ask on the peer port (protocol notes B.5). */
import type { FastifyRequest } from 'fastify';
import type { NodeClock } from '../clock.js';
import { RequestError } from './errors.js';

/** Requests a second. */
export const PEER_RATES = { global: 50, mempool: 20, putPeer: 11 } as const;
/** Seconds' worth of requests that may come at once. */
const BURST_SECONDS = 4;
/** Addresses remembered; one that is forgotten begins anew. */
const MOST_ADDRESSES = 10_000;

interface Bucket {
  left: number;
  filledAtMicros: bigint;
}

export class Throttle {
  readonly #clock: NodeClock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: NodeClock) {
    this.#clock = clock;
  }

  /** Counts a request; throws 429 where it is one too many. */
  take(request: FastifyRequest): void {
    const address = request.raw.socket.remoteAddress ?? 'unknown';
    const kind = kindOf(request);
    const rate = PEER_RATES[kind];
    const bucket = this.#filled(`${kind} ${address}`, rate);
    if (bucket.left < 1) {
      throw new RequestError(429, `more than ${rate} requests a second from ${address}`);
    }
    bucket.left--;
  }

  #filled(key: string, rate: number): Bucket {
    const now = this.#clock.nowMicros();
    const most = rate * BURST_SECONDS;
    const bucket = this.#buckets.get(key) ?? { left: most, filledAtMicros: now };
    const seconds = Math.max(0, Number(now - bucket.filledAtMicros) / 1e6);
    bucket.left = Math.min(most, bucket.left + seconds * rate);
    bucket.filledAtMicros = now;
    if (this.#buckets.size >= MOST_ADDRESSES) this.#buckets.clear();
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

/** By the route, since a path may be written in many ways. */
function kindOf({ method, routeOptions }: FastifyRequest): keyof typeof PEER_RATES {
  const { url: path = '' } = routeOptions;
  if (method === 'PUT' && path.endsWith('/peer')) return 'putPeer';
  return path.includes('/mempool/') ? 'mempool' : 'global';
}
