/** The nodes behind one client, in order of preference: the one that answered last is asked, and the next where it fails. */
import { NodeError } from '../chain/errors.js';
import { locateNode, type NodeAddress } from './address.js';
import { mayPass } from './failures.js';
import type { HttpAnswer, HttpRequest, NodeHttp } from './http.js';
import { SolutionLane } from './lines/solution-lane.js';
import { WarmLines, type WarmLinesParts } from './lines/warm-lines.js';

/** One to ask over, and one to ask over again where the first does not answer. Who needs more at once has the pool. */
const WORK_LINES = 2;

/** One node. */
export class Place {
  readonly http: NodeHttp;
  /** As it was given, credentials included. */
  readonly url: string;
  readonly #random: () => number;
  #address: NodeAddress | undefined;
  #lane: SolutionLane | undefined;
  #workLines: WarmLines | undefined;

  constructor(url: string, http: NodeHttp, random: () => number) {
    this.url = url;
    this.http = http;
    this.#random = random;
  }

  /** Once it was found. */
  get address(): NodeAddress {
    if (this.#address) return this.#address;
    const url = new URL(this.url).origin;
    throw new NodeError('unreachable', `${url} was not found yet`, { url });
  }

  /** Of all paths. */
  get base(): string {
    return this.address.baseUrl;
  }

  /** Scheme, host and port. */
  get root(): string {
    return new URL(this.base).origin;
  }

  /** The way of solutions to it. */
  get lane(): SolutionLane {
    this.#lane ??= new SolutionLane(this.#parts);
    return this.#lane;
  }

  /** Connections over which work is asked for at once. */
  get workLines(): WarmLines {
    this.#workLines ??= new WarmLines(this.#parts, WORK_LINES);
    return this.#workLines;
  }

  get #parts(): WarmLinesParts {
    const keepOpenUrl = this.address.infoUrl ?? `${this.root}/health-check`;
    return { http: this.http, keepOpenUrl, random: this.#random };
  }

  /** Over a connection that stands open; over the pool where none is free, or where it broke. */
  async askWarm(asked: HttpRequest): Promise<HttpAnswer> {
    const line = this.workLines.free;
    if (!line) return await this.http.ask(asked);
    try {
      return await line.ask(asked);
    } catch (error) {
      if (!(error instanceof NodeError) || error.code !== 'unreachable') throw error;
      return await this.http.ask(asked);
    }
  }

  /** Later requests go over new connections; those under way keep theirs. */
  renew(): void {
    this.http.renewPool();
    this.#workLines?.renew();
  }

  /** @param network that it has to be of, where that is known. */
  async find(timeoutMs: number, network?: string): Promise<NodeAddress> {
    if (this.#address) return this.#address;
    const found = await locateNode(this.http, this.url, timeoutMs);
    if (network !== undefined && found.network !== network) {
      const message = `${found.baseUrl} is of the network ${found.network}, and another node of ${network}`;
      const advice = 'nodes of one client are of one network: take it out';
      throw new NodeError('not-a-node', message, { url: found.baseUrl, advice });
    }
    this.#address = found;
    return found;
  }

  async close(): Promise<void> {
    this.#lane?.close();
    this.#workLines?.close();
    await this.http.close();
  }
}

export class Places {
  readonly #places: readonly Place[];
  readonly #timeoutMs: number;
  #index = 0;
  #network: string | undefined;

  /** @param places one at least. @param timeoutMs of each question that it takes to find a node. */
  constructor(places: readonly Place[], timeoutMs: number) {
    this.#places = places;
    this.#timeoutMs = timeoutMs;
  }

  /** The one that answered last. */
  get current(): Place {
    return this.#at(this.#index);
  }

  get all(): readonly Place[] {
    return this.#places;
  }

  /** Throws what the first one fails with when none can be found. */
  async connect(): Promise<void> {
    await this.ask(true, async (place) => place.address, true);
  }

  /**
   * Asks the current node, and where that fails for now, or cannot be found, the next. Throws what the first one failed
   * with.
   *
   * @param mayMove nothing happens twice by it.
   * @param isFirst any failure will do to try the next.
   */
  async ask<T>(mayMove: boolean, ask: (place: Place) => Promise<T>, isFirst = false): Promise<T> {
    const begin = this.#index;
    const failures: unknown[] = [];
    for (let i = 0; i < (mayMove ? this.#places.length : 1); i++) {
      const index = (begin + i) % this.#places.length;
      const place = this.#at(index);
      try {
        const { network } = await place.find(this.#timeoutMs, this.#network);
        this.#network ??= network;
        const answer = await ask(place);
        this.#index = index;
        return answer;
      } catch (error) {
        const isFinal =
          !isFirst && !mayPass(error) && !(error instanceof NodeError && error.code === 'not-a-node');
        if (isFinal) throw error;
        failures.push(error);
      }
    }
    throw failures[0];
  }

  async close(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.close()));
  }

  #at(index: number): Place {
    const place = this.#places[index];
    if (!place) throw new RangeError('a client needs one node at least');
    return place;
  }
}
