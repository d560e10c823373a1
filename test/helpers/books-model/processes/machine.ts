/** A machine on which a bridge is started, stopped and killed, and whose way to the ledger can be cut. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { QueueConnection } from '../../../../src/queue/bullmq/connection.js';
import { type Gate, openGate } from '../../processes/gate.js';
import { until } from '../../until.js';
import type { FastClock } from './fast-time.js';
import type { BridgeStart, Order, Word } from './words.js';

const PROGRAM = new URL(
  '../../../../dist/test/helpers/books-model/processes/bridge-process.js',
  import.meta.url,
);
const SHARES_A_START = 1_000_000;

export interface Surroundings {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly clock: FastClock;
  readonly accounts: readonly string[];
  /** Of all machines. */
  readonly nextStart: () => number;
  readonly onWord: (word: Word) => void;
  /** One ended that nobody has ended. */
  readonly onDeath: (why: string) => void;
}

type State = 'down' | 'starting' | 'up' | 'stopping';

export class Machine {
  readonly dataDir: string;
  readonly #around: Surroundings;
  readonly #gate: Gate;
  #child: ChildProcess | undefined;
  #state: State = 'down';
  #isOpen = true;
  #isResting = false;
  /** The log that it writes now. */
  log = '';

  private constructor(around: Surroundings, dataDir: string, gate: Gate) {
    this.#around = around;
    this.dataDir = dataDir;
    this.#gate = gate;
  }

  static async make(around: Surroundings, dataDir: string): Promise<Machine> {
    return new Machine(around, dataDir, await openGate(Number(new URL(around.databaseUrl).port)));
  }

  get state(): State {
    return this.#state;
  }

  /** At once; it is `up` once it says so. */
  start(aheadMs: number): void {
    const { databaseUrl, redisUrl, clock, accounts, nextStart } = this.#around;
    const url = new URL(databaseUrl);
    url.port = String(this.#gate.port);
    const queue: QueueConnection = redisUrl
      ? { backend: 'redis', url: redisUrl }
      : { backend: 'postgres', connectionString: url.href };
    const given: BridgeStart = {
      ...{ dataDir: this.dataDir, databaseUrl: url.href, queue, clock, aheadMs, accounts },
      first: SHARES_A_START * nextStart(),
    };
    const child = fork(PROGRAM, [JSON.stringify(given)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#child = child;
    this.#state = 'starting';
    this.#isResting = false;
    child.on('message', (word: Word) => this.#heard(child, word));
    child.on('exit', (code, signal) => this.#ended(child, code, signal));
  }

  #heard(child: ChildProcess, word: Word): void {
    this.#around.onWord(word);
    if (child !== this.#child) return;
    if (word.word === 'up' && this.#state === 'starting') this.#state = 'up';
    if (word.word === 'resting') this.#isResting = true;
    if (word.word === 'log') this.log = word.log;
  }

  #ended(child: ChildProcess, code: number | null, signal: string | null): void {
    if (signal !== 'SIGKILL' && (code !== 0 || this.#state !== 'stopping'))
      this.#around.onDeath(`a bridge ended by itself, with ${code ?? signal}`);
    if (child === this.#child) this.#state = 'down';
  }

  tell(order: Order): void {
    this.#child?.send(order);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || this.#state === 'down') return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** In order, which may take a while. */
  stop(): void {
    this.#state = 'stopping';
    this.tell({ order: 'stop' });
  }

  async rest(): Promise<void> {
    this.tell({ order: 'rest' });
    await until('rigs rest', () => this.#isResting);
  }

  async is(state: State): Promise<void> {
    await until(`a bridge is ${state}`, () => this.#state === state);
  }

  async cutOff(): Promise<void> {
    if (this.#isOpen) await this.#gate.shut();
    this.#isOpen = false;
  }

  async connect(): Promise<void> {
    if (!this.#isOpen) await this.#gate.open();
    this.#isOpen = true;
  }

  async end(): Promise<void> {
    await this.kill();
    await this.cutOff();
  }
}
