/**
 * The primary of several processes of one service: it has the ports, hands connections out in turn, starts what has died again, carries questions, and puts new starts in the place of old ones. It knows nothing of what the service does.
 */
import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/names/log.js';
import { CommandError } from '../line/command.js';
import { environmentOf } from './member.js';
import { SharedPorts, type Taker } from './shared-ports.js';
import type { Answer, Membership, ToMember, ToPrimary } from './words.js';

const ANSWER_MS = 2_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** One that lived for so long has died of something else than its start. */
const LIVED_MS = 60_000;

interface PrimaryOptions {
  readonly log: Log;
  /** Words of the command line, without those that are for the primary. */
  readonly args: readonly string[];
  /** What each is told beside its slot. */
  readonly more: object;
  /** What the primary knows itself, by question. */
  readonly answers: Readonly<Record<string, Answer>>;
}

interface Member {
  readonly slot: number;
  readonly worker: Worker;
  readonly startedAtMs: number;
  /** Resolves with what it says once it is up; never where it ends before. */
  readonly up: Promise<object>;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  isUp: boolean;
  /** Another one has its place. */
  isReplaced: boolean;
}

export class Primary {
  readonly #options: PrimaryOptions;
  readonly #living = new Set<Member>();
  readonly #closing = new AbortController();
  readonly #ports = new SharedPorts();
  /** By the number of what was asked. */
  readonly #asked = new Map<number, (from: Member, said: unknown) => void>();
  #questions = 0;
  #waitingToStart = 0;
  /** As many as were asked for. */
  #wanted = 0;
  #replacing: Promise<unknown> = Promise.resolve();
  /** Resolves with the reason when all have ended by themselves, as those that were drained do. */
  readonly ended: Promise<string>;
  #end: (reason: string) => void = () => undefined;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    cluster.setupPrimary({ args: [...options.args] });
  }

  get size(): number {
    return this.#living.size;
  }

  /** Resolves with what each says once all are up. Rejects with {@link CommandError} where one ends before. */
  start(count: number): Promise<readonly object[]> {
    this.#wanted = count;
    return Promise.all(Array.from({ length: count }, () => this.#startOne()));
  }

  /**
   * Starts `count` new ones, each followed by the end of an old one, one after the other. Rejects where a start fails: the others stay.
   *
   * @param order with which an old one is asked to `drain`; one that is there longer than `withinMs` is stopped.
   */
  async replace(count: number, order: unknown, withinMs: number, done: () => void): Promise<void> {
    const replaced = this.#replaceAll(count, order, withinMs, done);
    this.#replacing = replaced.catch(() => undefined); // told to who has ordered it
    await replaced;
  }

  async #replaceAll(count: number, order: unknown, withinMs: number, done: () => void): Promise<void> {
    const old = [...this.#living];
    for (let i = 0; i < Math.max(count, old.length); i++) {
      const leaving = old[i];
      // One that has died meanwhile was started from the same program.
      if (leaving && !this.#living.has(leaving)) continue;
      if (i < count) await this.#startOne();
      if (leaving) await this.#dismiss(leaving, order, withinMs);
      done();
    }
    this.#wanted = count;
  }

  async #dismiss(leaving: Member, order: unknown, withinMs: number): Promise<void> {
    leaving.isReplaced = true;
    await this.ask('drain', order, [leaving]);
    await Promise.race([leaving.ended, pause(withinMs, undefined, { ref: false })]);
    if (this.#living.has(leaving)) leaving.worker.process.kill('SIGTERM');
    await leaving.ended;
  }

  /** What those answer that are up, in their order. */
  async ask(
    question: string,
    about: unknown = null,
    of: readonly Member[] = [...this.#living],
  ): Promise<readonly unknown[]> {
    const meant = of.filter(({ isUp }) => isUp);
    const id = ++this.#questions;
    const said = new Map<Member, unknown>();
    const heard = new Promise<void>((resolve) => {
      const look = (): void => {
        if (meant.every((one) => said.has(one) || !this.#living.has(one))) resolve();
      };
      this.#asked.set(id, (from, answer) => {
        said.set(from, answer);
        look();
      });
      for (const { ended } of meant) void ended.then(look);
      look();
    });
    for (const member of meant) tell(member, { asked: id, question, about });
    await Promise.race([heard, pause(ANSWER_MS, undefined, { ref: false })]);
    this.#asked.delete(id);
    return meant.map((one) => said.get(one)).filter((answer) => answer !== undefined);
  }

  signal(signal: NodeJS.Signals): void {
    for (const { worker } of this.#living) worker.process.kill(signal);
  }

  async close(withinMs: number): Promise<void> {
    this.#closing.abort();
    this.#ports.close();
    this.signal('SIGTERM');
    const all = Promise.all([...this.#living].map(({ ended }) => ended));
    await Promise.race([all, pause(withinMs, undefined, { ref: false })]);
    this.signal('SIGKILL');
  }

  async #startOne(): Promise<object> {
    const member = this.#fork();
    const fields = await Promise.race([member.up, member.ended]);
    if (typeof fields === 'object') {
      this.#keep(member, 0);
      return fields;
    }
    throw new CommandError(
      `process ${member.slot} has ended before it was up (${fields}), and said why above`,
    );
  }

  #fork(): Member {
    const slot = this.#freeSlot();
    const membership: Membership = { slot, ...this.#options.more };
    const worker = cluster.fork(environmentOf(membership));
    const ended = new Promise<number | string>((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal ?? code));
      worker.once('error', (error) => resolve(error.message));
    });
    let isUp: (fields: object) => void = () => undefined;
    const up = new Promise<object>((resolve) => {
      isUp = resolve;
    });
    const startedAtMs = performance.now();
    const member: Member = { slot, worker, startedAtMs, up, ended, isUp: false, isReplaced: false };
    this.#living.add(member);
    const handing = new Handing(worker);
    void ended.then(() => {
      this.#living.delete(member);
      this.#ports.leaveAll(handing);
      handing.end();
    });
    worker.on('message', (word: ToPrimary) => {
      if ('listens' in word) void this.#listen(member, handing, word);
      if ('leaves' in word) this.#ports.leave(word.leaves, handing);
      if ('up' in word) {
        member.isUp = true;
        isUp(word.up);
      }
      if ('answers' in word) this.#asked.get(word.answers)?.(member, word.said);
      if ('asks' in word) void this.#answer(member, word);
    });
    return member;
  }

  async #listen(
    member: Member,
    taker: Taker,
    { listens, port, address }: Extract<ToPrimary, { readonly listens: number }>,
  ): Promise<void> {
    try {
      tell(member, { listens, bound: await this.#ports.join(port, address, taker) });
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      tell(member, { listens, code, why: message });
    }
  }

  #freeSlot(): number {
    const taken = new Set([...this.#living].map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot++;
    return slot;
  }

  async #answer(
    from: Member,
    { asks, question, about }: Extract<ToPrimary, { readonly asks: number }>,
  ): Promise<void> {
    const own = this.#options.answers[question];
    const others = [...this.#living].filter((one) => one !== from);
    const all = own ? [await own(about)] : await this.ask(question, about, [from, ...others]);
    tell(from, { heard: asks, all });
  }

  /** Until it is not wanted any more. @param failures in a row before this one. */
  #keep(member: Member, failures: number): void {
    void member.ended.then(async (end) => {
      if (this.#closing.signal.aborted || member.isReplaced) return;
      if (end === 0) return this.#lookForEnd();
      const lived = performance.now() - member.startedAtMs;
      const times = lived >= LIVED_MS ? 0 : failures;
      const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** times);
      const fields = { event: 'process', slot: member.slot, end, againInMs: delayMs };
      this.#options.log.error(fields, 'a process has died, and is started again');
      this.#waitingToStart++;
      await pause(delayMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      // Others may have been started in its place.
      await this.#replacing;
      this.#waitingToStart--;
      if (this.#closing.signal.aborted) return;
      if (this.#living.size < this.#wanted) this.#keep(this.#fork(), times + 1);
    });
  }

  /** One that ends well was ordered to. */
  #lookForEnd(): void {
    if (this.#living.size === 0 && this.#waitingToStart === 0) this.#end('all of its processes have stopped');
  }
}

/** A process that hangs would have them until no file can be opened any more, for the others neither. */
const MOST_WAITING = 4_096;

/**
 * Connections on their way to a process. Node.js sends one after the other, and forgets those that wait when the process dies: each is kept
 * open here until it is sent.
 */
class Handing implements Taker {
  readonly #worker: Worker;
  readonly #waiting = new Map<Socket, (isTaken: boolean) => void>();

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  get isFull(): boolean {
    return this.#waiting.size >= MOST_WAITING;
  }

  take(port: string, connection: Socket, done: (isTaken: boolean) => void): void {
    this.#waiting.set(connection, done);
    const word: ToMember = { connection: port };
    this.#worker.send(word, connection, { keepOpen: true }, (error) => this.#settle(connection, !error));
  }

  /** The process is there no more. */
  end(): void {
    for (const connection of [...this.#waiting.keys()]) this.#settle(connection, false);
  }

  #settle(connection: Socket, isTaken: boolean): void {
    const done = this.#waiting.get(connection);
    this.#waiting.delete(connection);
    done?.(isTaken);
  }
}

function tell({ worker }: Member, word: ToMember): void {
  // It may have ended a moment ago.
  if (worker.isConnected()) worker.send(word, () => undefined);
}
