/**
 * Calls and casts between two processes, over whatever carries messages between them.
 *
 *     {"to":"works","method":"retireWork","args":[3,1712.5]}                      a cast
 *     {"to":"desk","method":"announceProducer","args":["…","…"],"call":7}         a call
 *     {"answer":7,"value":true}      {"answer":7,"error":{"message":"…"}}         what came of it
 */
import type { Contract } from './contract.js';

/** What carries messages; each is copied. */
export interface Wire {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  /** The other side is gone; once. */
  onEnd(listener: () => void): void;
}

export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  /** `ended`: the other process is gone. `late`: no answer in time. `full`: too many calls wait. `failed`: it failed there. */
  readonly code: 'ended' | 'late' | 'full' | 'failed';

  constructor(code: ChannelError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

interface Message {
  readonly to: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly call?: number;
}

interface Answer {
  readonly answer: number;
  readonly value?: unknown;
  readonly error?: { readonly message: string };
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout;
}

interface Offered {
  readonly contract: Contract<unknown>;
  readonly object: object;
}

const ANSWER_MS = 10_000;
/** Calls that wait for an answer; more is a process that does not keep up. */
const MAX_WAITING = 10_000;

export class Channel {
  #wire: Wire;
  readonly #offered = new Map<string, Offered>();
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #isOver = false;

  constructor(wire: Wire) {
    this.#wire = wire;
    this.#listen(wire);
  }

  /** Another process has taken the place of the other one. Who waits for that is told, as by {@link end}. */
  rewire(wire: Wire): void {
    this.end();
    this.#wire = wire;
    this.#isOver = false;
    this.#listen(wire);
  }

  /** What the other side may ask of this one from now on. */
  offer<T extends object>(contract: Contract<T>, object: T): void {
    this.#offered.set(contract.name, { contract: contract as Contract<unknown>, object });
  }

  /**
   * The other side's object. Its calls reject with {@link ChannelError}; a cast to a process that is gone does nothing.
   *
   * @param answerMs how long a call waits for its answer.
   */
  remote<T extends object>(contract: Contract<T>, answerMs = ANSWER_MS): T {
    const methods = Object.entries(contract.methods) as [string, 'call' | 'cast'][];
    return Object.fromEntries(
      methods.map(([method, kind]) => [
        method,
        (...args: unknown[]) => {
          const message = { to: contract.name, method, args };
          if (kind === 'call') return this.#call(message, answerMs);
          if (!this.#isOver) this.#wire.send(message);
          return undefined;
        },
      ]),
    ) as T;
  }

  /** Nothing is sent any more; who waits is told. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const call of [...this.#waiting.keys()])
      this.#settle(call)?.reject(new ChannelError('ended', 'the other process is gone'));
  }

  #listen(wire: Wire): void {
    wire.onMessage((message) => {
      if (this.#wire === wire) this.#take(message as Message | Answer);
    });
    wire.onEnd(() => {
      if (this.#wire === wire) this.end();
    });
  }

  #call(message: Omit<Message, 'call'>, answerMs: number): Promise<unknown> {
    const { to, method } = message;
    if (this.#isOver) return Promise.reject(new ChannelError('ended', 'the other process is gone'));
    if (this.#waiting.size >= MAX_WAITING)
      return Promise.reject(new ChannelError('full', `${MAX_WAITING} calls wait for the other process`));
    const call = ++this.#calls;
    return new Promise((resolve, reject) => {
      const late = (): void =>
        this.#settle(call)?.reject(
          new ChannelError('late', `the other process did not answer ${to}.${method} in ${answerMs} ms`),
        );
      this.#waiting.set(call, { resolve, reject, timer: setTimeout(late, answerMs) });
      this.#wire.send({ ...message, call });
    });
  }

  #settle(call: number): Waiting | undefined {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    clearTimeout(waiting?.timer);
    return waiting;
  }

  #take(message: Message | Answer): void {
    if ('answer' in message) {
      const waiting = this.#settle(message.answer);
      if (message.error) waiting?.reject(new ChannelError('failed', message.error.message));
      else waiting?.resolve(message.value);
      return;
    }
    const { call } = message;
    if (call === undefined) {
      this.#carryOut(message);
      return;
    }
    const asked = this.#wire;
    const answer = (given: Answer): void => {
      if (!this.#isOver && this.#wire === asked) asked.send(given);
    };
    // It begins at once: what was said after it comes after it.
    const carriedOut = (async () => this.#carryOut(message))();
    carriedOut.then(
      (value) => answer({ answer: call, value }),
      (error: Error) => answer({ answer: call, error: { message: error.message } }),
    );
  }

  /** Throws for what was never offered: both processes are of one version, so it is a fault of ours. */
  #carryOut({ to, method, args }: Message): unknown {
    const offered = this.#offered.get(to);
    if (!offered || !Object.hasOwn(offered.contract.methods as object, method))
      throw new ChannelError('failed', `${to}.${method} is not offered here`);
    const object = offered.object as Record<string, (...args: readonly unknown[]) => unknown>;
    return object[method]?.(...args);
  }
}
