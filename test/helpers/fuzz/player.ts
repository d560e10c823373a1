/** Plays scripts at a bridge, and says what was wrong with its answers. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as turn } from 'node:timers/promises';
import type { Job } from '../../../src/core/jobs/job.js';
import { type Nonce1, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { targetOf } from '../../../src/core/work/target.js';
import { mine, type TestBridge } from '../stories/stratum-bridge.js';
import { until } from '../until.js';
import { Answers } from './answers.js';
import type { Place } from './messages.js';
import { frameOf, RawWire } from './raw-wire.js';
import type { Script, Step } from './scripts.js';

export interface Played {
  readonly faults: readonly string[];
  /** Sent, whole or not. */
  readonly messages: number;
  readonly answers: number;
  /** Each request is known to have had its one answer. */
  readonly isProven: boolean;
}

/** Those that come with a PROXY header come from here. */
export const BALANCER = '127.0.0.1';
const SHARE_TARGET = targetOf(4n);
const END_ID = 'the end';
const END = `{"id":"${END_ID}","method":"mining.ping"}`;
/** Turns of the event loop for who may never be let in. */
const PATIENT_TURNS = 300;

/** Of one connection, from its first byte to its end. */
export async function play(bridge: TestBridge, script: Script, localAddress: string): Promise<Played> {
  const player = new Player(bridge, script, localAddress);
  await player.run();
  return player.result;
}

class Player {
  readonly #bridge: TestBridge;
  readonly #script: Script;
  readonly #wire: RawWire;
  readonly #isWs: boolean;
  readonly #answers = new Answers();
  /** All that came over the wire so far can be told apart, so it is known what is to be answered. */
  #isExact: boolean;
  #isOver = false;
  #isProven = false;
  #hasLeft = false;
  #messages = 0;
  #rest = '';
  #nonce1 = '0123';
  #token = '';
  readonly #jobs: string[] = ['5d4', '5d4'];
  #tried = 0;

  constructor(bridge: TestBridge, script: Script, localAddress: string) {
    const { transport, header, upgrade } = script;
    this.#bridge = bridge;
    this.#script = script;
    this.#isWs = transport === 'ws' || transport === 'wss';
    this.#isExact = script.isProper;
    const port = bridge.port(transport);
    this.#wire = new RawWire({
      ...{ transport, port, header, upgrade },
      localAddress: header === undefined ? localAddress : BALANCER,
      onText: (text) => this.#heard(text),
      onFault: (fault) => this.#answers.faults.push(fault),
    });
  }

  get result(): Played {
    const isProven = this.#isProven;
    const missing = isProven ? this.#answers.missing.map((id) => `no answer to ${id}`) : [];
    const faults = [...this.#answers.faults, ...missing];
    return { faults, messages: this.#messages, answers: this.#answers.count, isProven };
  }

  async run(): Promise<void> {
    const { isProper, steps } = this.#script;
    for (let turns = 0; !this.#wire.isOpen && !this.#wire.closed; turns++) {
      if (!isProper && turns > PATIENT_TURNS) break;
      await turn();
    }
    for (const step of steps) {
      if (this.#wire.closed) break;
      await this.#take(step);
    }
    if (this.#isExact && !this.#hasLeft) await this.#end();
    this.#wire.reset();
    await until('the connection is closed', () => this.#wire.closed);
  }

  /** All before it was read when this is answered; a submit may have its answer later. */
  async #end(): Promise<void> {
    this.#sendLines(['', END], '\n');
    const isDone = (): boolean => this.#isOver && this.#answers.missing.length === 0;
    // What is missing then is told as a fault.
    await until('an answer to each request', () => isDone() || this.#wire.closed).catch(() => {});
    // Whom the bridge has closed meanwhile, as one who has authorized nothing in time, it owes no answer.
    this.#isProven = this.#isOver && !this.#wire.closed;
    if (!this.#isOver && !this.#wire.closed) this.#answers.faults.push('the end is not answered');
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'lines': {
        const bytes = this.#linesOf(
          step.lines.map((line) => this.#filled(line)),
          step.end,
        );
        await this.#wire.sendCut(bytes, step.cuts);
        break;
      }
      case 'frame':
        // What is behind it may be taken for part of it.
        this.#isExact = false;
        this.#messages++;
        this.#wire.send(frameOf(Buffer.from(this.#filled(step.payload), 'latin1'), step));
        break;
      case 'bytes':
        this.#isExact &&= this.#script.transport === 'tcp';
        this.#messages++;
        if (this.#isExact) this.#asked(step.bytes);
        this.#wire.sendBelow(step.bytes);
        break;
      case 'wait':
        for (let left = step.turns; left > 0; left--) await turn();
        break;
      case 'pass':
        this.#bridge.skewMs += step.ms;
        break;
      case 'leave':
        this.#hasLeft = true;
        if (step.how === 'end') this.#wire.end();
        else this.#wire.reset();
        await turn();
    }
  }

  #sendLines(lines: readonly string[], end: string): void {
    this.#wire.send(this.#linesOf(lines, end));
  }

  /** Notes what is to be answered. */
  #linesOf(lines: readonly string[], end: string): Buffer {
    this.#messages += lines.length;
    if (!this.#isWs) {
      const text = lines.map((line) => line + end).join('');
      this.#asked(text);
      return Buffer.from(text, 'latin1');
    }
    return Buffer.concat(
      lines.map((line) => {
        const bytes = Buffer.from(line, 'latin1');
        // A text frame that is no text ends the connection: steps of frames have those.
        const payload = isUtf8(bytes) ? bytes : Buffer.from(line);
        for (const each of payload.toString().split(/\r?\n/)) this.#answers.asked(each);
        return frameOf(payload);
      }),
    );
  }

  /** Bytes that go into a stream of lines. */
  #asked(bytes: string): void {
    const lines = (this.#rest + bytes).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#answers.asked(Buffer.from(line.replace(/\r$/, ''), 'latin1').toString());
  }

  #heard(text: string): void {
    const message = this.#answers.came(text, this.#isExact);
    if (!message) return;
    const { id, method, params, result } = message;
    if (id === END_ID && method === undefined) this.#isOver = true;
    if (method === 'mining.notify' && Array.isArray(params)) this.#jobs.unshift(String(params[0]));
    if (Array.isArray(result)) [this.#token, this.#nonce1] = [String(result[0] ?? ''), String(result[1])];
    this.#jobs.length = 2;
  }

  #filled(line: string): string {
    if (!line.includes('<')) return line;
    const [job = '', former = ''] = this.#jobs;
    return line.replace(/<(job|former|share|nonce1|token)>/g, (place) => {
      const texts: Record<Place, () => string> = {
        '<job>': () => job,
        '<former>': () => former,
        '<share>': () => this.#share(job),
        '<nonce1>': () => this.#nonce1,
        '<token>': () => this.#token,
      };
      return texts[place as Place]();
    });
  }

  #share(jobId: string): string {
    const { job } = this.#bridge.book.find(jobId) as { job?: Job };
    const nonce1 = nonce1FromHex(this.#nonce1);
    if (!job || nonce1 === undefined) return '0';
    const nonce2 = mine(job, nonce1 as Nonce1, SHARE_TARGET, true, this.#tried);
    this.#tried = Number.parseInt(nonce2, 16) + 1;
    return nonce2;
  }
}
