/**
 * Lets only so many connections a second through, so that a storm of them (every rig comes back at once) takes no time
 * from the rigs that are there. The others wait; what comes of them meanwhile is held, and is little: no rig says much before
 * its first answer. Addresses have their turns one after the other, so that no storm of one keeps another out.
 */
import type { Socket } from 'node:net';
import type { Address } from './address.js';
import { Throttle } from './budgets.js';
import type { StratumLimits } from './limits.js';

export type ConnectLimitRules = Pick<StratumLimits, 'connectsPerSecond' | 'connectBurst' | 'connectsWaiting'>;

interface Arrival {
  readonly socket: Socket;
  readonly address: Address;
  /** What was read of it already; it comes again, before what follows. */
  readonly first: Buffer;
  /** Called at once, or when it is its turn. It is read on from then on. */
  go(): void;
  /** Called when too many wait, or it has sent too much before its turn. */
  refuse(why: string): void;
}

const LOOK_EVERY_MS = 10;
/** Bytes that are held of a connection before its turn. A paused socket would hold 64 KiB. */
const MAX_HELD_BYTES = 4096;

/** An arrival whose turn has not come. */
interface Waiting extends Arrival {
  held: Buffer;
  readonly onData: (chunk: Buffer) => void;
}

export class ConnectLimit {
  readonly #rules: ConnectLimitRules;
  readonly #nowMs: () => number;
  readonly #throttle: Throttle;
  readonly #line: FairLine<Waiting>;
  readonly #waiting = new Set<Socket>();
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: ConnectLimitRules, nowMs: () => number) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#throttle = new Throttle(rules.connectsPerSecond, rules.connectBurst, nowMs());
    this.#line = new FairLine(rules.connectsWaiting);
  }

  rulesChanged(): void {
    this.#throttle.change(this.#rules.connectsPerSecond, this.#rules.connectBurst);
    this.#line.max = this.#rules.connectsWaiting;
  }

  get waiting(): number {
    return this.#line.size;
  }

  isWaiting(socket: Socket): boolean {
    return this.#waiting.has(socket);
  }

  enter(arrival: Arrival): void {
    const nowMs = this.#nowMs();
    if (this.#line.size === 0 && arrival.address.mayConnect(nowMs) && this.#throttle.take(nowMs)) {
      arrival.address.connected(nowMs);
      begin(arrival, arrival.first);
      return;
    }
    const waiting = this.#resumption(arrival);
    const dropped = this.#line.enter(arrival.address.key, waiting);
    if (dropped) this.#drop(dropped, `${this.#rules.connectsWaiting} connections wait already`);
    if (dropped === waiting) return;
    const { socket } = arrival;
    this.#waiting.add(socket);
    socket.once('close', () => this.#left(waiting));
    this.#timer ??= setInterval(() => this.#letThrough(), LOOK_EVERY_MS);
    waiting.onData(arrival.first);
    if (this.#line.has(waiting)) socket.on('data', waiting.onData);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#waiting.clear();
  }

  #resumption(arrival: Arrival): Waiting {
    const waiting: Waiting = {
      ...arrival,
      held: Buffer.alloc(0),
      onData: (chunk) => {
        waiting.held = waiting.held.length === 0 ? chunk : Buffer.concat([waiting.held, chunk]);
        if (waiting.held.length <= MAX_HELD_BYTES) return;
        this.#left(waiting);
        this.#drop(waiting, `it sent more than ${MAX_HELD_BYTES} bytes before its turn`);
      },
    };
    return waiting;
  }

  #drop(waiting: Waiting, why: string): void {
    this.#waiting.delete(waiting.socket);
    waiting.socket.off('data', waiting.onData);
    waiting.held = Buffer.alloc(0);
    waiting.refuse(why);
  }

  #left(waiting: Waiting): void {
    this.#line.leave(waiting);
    this.#waiting.delete(waiting.socket);
  }

  #letThrough(): void {
    const nowMs = this.#nowMs();
    while (this.#line.size > 0 && this.#throttle.take(nowMs)) {
      const arrival = this.#next(nowMs);
      if (!arrival) {
        this.#throttle.giveBack(1);
        return;
      }
      this.#left(arrival);
      arrival.address.connected(nowMs);
      arrival.socket.off('data', arrival.onData);
      begin(arrival, arrival.held);
    }
    if (this.#line.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** An address that may not connect now passes its turn on. */
  #next(nowMs: number): Waiting | undefined {
    for (let keys = this.#line.keys; keys > 0; keys--) {
      const arrival = this.#line.turn();
      if (arrival?.address.mayConnect(nowMs)) return arrival;
    }
    return undefined;
  }
}

/** What was read before its turn comes to who listens from now on. */
function begin({ socket, go }: Arrival, read: Buffer): void {
  socket.pause();
  if (read.length > 0) socket.unshift(read);
  go();
  socket.resume();
}

/**
 * A waiting line that is fair by key: keys have their turns one after the other, whoever of a key came first. When the
 * line is full, the key that holds most of it loses its first one. Every step takes the same time, however many wait.
 */
export class FairLine<T> {
  /** Items that may wait; those that wait already stay when there may be fewer. */
  max: number;
  /** In the order of their turns. */
  readonly #lines = new Map<string, Set<T>>();
  /** Keys by the length of their lines. */
  readonly #byLength = new Map<number, Set<string>>();
  readonly #keyOf = new Map<T, string>();
  #longest = 0;

  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.#keyOf.size;
  }

  /** Keys that wait. */
  get keys(): number {
    return this.#lines.size;
  }

  has(item: T): boolean {
    return this.#keyOf.has(item);
  }

  /** Returns whom there is no place for: the item itself, or one that was waiting; `undefined` when there is room. */
  enter(key: string, item: T): T | undefined {
    const line = this.#lines.get(key) ?? new Set();
    if (this.size >= this.max && line.size + 1 >= this.#longest) return item;
    const dropped = this.size >= this.max ? this.#firstOfLongest() : undefined;
    if (dropped !== undefined) this.leave(dropped);
    this.#lines.set(key, line.add(item));
    this.#keyOf.set(item, key);
    this.#moved(key, line.size - 1, line.size);
    return dropped;
  }

  leave(item: T): void {
    const key = this.#keyOf.get(item);
    const line = key === undefined ? undefined : this.#lines.get(key);
    if (key === undefined || !line) return;
    line.delete(item);
    this.#keyOf.delete(item);
    if (line.size === 0) this.#lines.delete(key);
    this.#moved(key, line.size + 1, line.size);
  }

  /** The first of the next key, which waits on until `leave`; the turn of that key has passed then. */
  turn(): T | undefined {
    const [first] = this.#lines;
    if (!first) return undefined;
    const [key, line] = first;
    this.#lines.delete(key);
    this.#lines.set(key, line);
    const [item] = line;
    return item;
  }

  #firstOfLongest(): T | undefined {
    const [key = ''] = this.#byLength.get(this.#longest) ?? [];
    const [item] = this.#lines.get(key) ?? [];
    return item;
  }

  #moved(key: string, from: number, to: number): void {
    const left = this.#byLength.get(from);
    left?.delete(key);
    if (left?.size === 0) this.#byLength.delete(from);
    if (to > 0) this.#byLength.set(to, (this.#byLength.get(to) ?? new Set()).add(key));
    if (to > this.#longest) this.#longest = to;
    else while (this.#longest > 0 && !this.#byLength.has(this.#longest)) this.#longest--;
  }
}
