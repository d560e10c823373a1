/**
 * Rigs of a pool in a process of their own: each from an address of its own, with a share every two seconds or so, and a
 * count of the work that it was answered `true` for. Arguments: the bridge's port, the first rig's number, how many.
 * Told `stop`, it waits for the last answers and sends an {@link AnsweredWork}.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fromHex } from '../../../src/core/bytes/bytes.js';
import {
  composeNonce,
  type Nonce1,
  nonce1FromHex,
  nonce2FromNumber,
  nonce2ToHex,
} from '../../../src/core/jobs/nonce.js';
import { type Header, headerFromBytes, powHashOf, withNonce } from '../../../src/core/work/header.js';
import {
  difficultyOf,
  meetsTarget,
  type Target,
  targetFromHexBigEndian,
} from '../../../src/core/work/target.js';
import { until } from '../../helpers/until.js';

export interface AnsweredWork {
  /** Account -> expected hashes of the shares that were answered `true`, decimal. */
  readonly answered: Readonly<Record<string, string>>;
  readonly refused: number;
  /** Connections that the bridge ended, and submits that have no answer. */
  readonly closed: number;
  readonly unanswered: number;
}

const RIGS_OF_ACCOUNT = 20;
const SHARE_EVERY_MS = 2_000;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: readonly unknown[];
  readonly result?: unknown;
}

class Rig {
  readonly account: string;
  answered = 0n;
  refused = 0;
  closed = false;
  /** Submits under way, with their work. */
  readonly waiting = new Map<number, bigint>();
  readonly #login: string;
  readonly #socket: Socket;
  #rest = '';
  #target: Target | undefined;
  #job: { readonly id: string; readonly header: Header; readonly target: Target } | undefined;
  #nonce1: Nonce1 | undefined;
  #lastId = 2;
  #tried = 0;

  constructor(port: number, number: number) {
    const account = Math.floor(number / RIGS_OF_ACCOUNT).toString(16);
    this.account = `k:${account.padStart(64, '0')}`;
    this.#login = `${this.account}.rig${number}`;
    const localAddress = `127.1.${number >> 8}.${number & 255}`;
    this.#socket = connect({ host: '127.0.0.1', port, localAddress });
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('close', () => {
      this.closed = true;
    });
    this.#socket.on('data', (chunk) => this.#heard(chunk.toString()));
    this.#say(1, 'mining.subscribe', ['day/1', null]);
    this.#say(2, 'mining.authorize', [this.#login, 'x']);
  }

  /** Finds a share of the newest job and submits it. */
  work(): void {
    const [job, nonce1] = [this.#job, this.#nonce1];
    if (!job || nonce1 === undefined || this.closed) return;
    for (;;) {
      const nonce2 = nonce2FromNumber(this.#tried++);
      if (!meetsTarget(powHashOf(withNonce(job.header, composeNonce(nonce1, nonce2))), job.target)) continue;
      this.waiting.set(++this.#lastId, difficultyOf(job.target));
      this.#say(this.#lastId, 'mining.submit', [this.#login, job.id, nonce2ToHex(nonce2)]);
      return;
    }
  }

  leave(): void {
    this.#socket.end();
  }

  #say(id: number, method: string, params: readonly unknown[]): void {
    this.#socket.write(`${JSON.stringify({ id, method, params })}\n`);
  }

  #heard(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(JSON.parse(line) as Message);
  }

  #take({ id, method, params = [], result }: Message): void {
    if (method === 'mining.set_target') this.#target = targetFromHexBigEndian(String(params[0]));
    else if (method === 'mining.notify' && this.#target) {
      const header = headerFromBytes(fromHex(String(params[1])) ?? new Uint8Array());
      this.#job = { id: String(params[0]), header, target: this.#target };
    } else if (id === 1 && Array.isArray(result)) this.#nonce1 = nonce1FromHex(String(result[1]));
    else if (id !== undefined) this.#answered(id, result);
  }

  #answered(id: number, result: unknown): void {
    const work = this.waiting.get(id);
    if (work === undefined) return;
    this.waiting.delete(id);
    if (result === true) this.answered += work;
    else this.refused++;
  }
}

let stopping = false;
process.on('message', () => {
  stopping = true;
});
process.on('disconnect', () => process.exit(1));

const [port = 0, first = 0, count = 0] = process.argv.slice(2).map(Number);
const rigs: Rig[] = [];
for (let i = 0; i < count; i++) {
  rigs.push(new Rig(port, first + i));
  if (i % 20 === 19) await pause(50);
}
process.send?.('ready');
await Promise.all(
  rigs.map(async (rig) => {
    while (!stopping) {
      await pause(SHARE_EVERY_MS * (0.5 + Math.random()));
      rig.work();
    }
  }),
);
await until('every submit is answered', () => rigs.every((rig) => rig.closed || rig.waiting.size === 0));
const answered: Record<string, bigint> = {};
for (const rig of rigs) answered[rig.account] = (answered[rig.account] ?? 0n) + rig.answered;
const told: AnsweredWork = {
  answered: Object.fromEntries(Object.entries(answered).map(([account, work]) => [account, `${work}`])),
  refused: rigs.reduce((sum, { refused }) => sum + refused, 0),
  closed: rigs.filter(({ closed }) => closed).length,
  unanswered: rigs.reduce((sum, { waiting }) => sum + waiting.size, 0),
};
process.send?.(told, () => {
  for (const rig of rigs) rig.leave();
  process.disconnect();
});
