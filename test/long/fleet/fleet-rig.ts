/** A rig of the week of a fleet: it comes back by itself, with the token that it was given last, and counts what becomes of each share. */
import { connect, type Socket } from 'node:net';
import { midstateOf } from '../../../src/core/bytes/blake2s.js';
import { fromHex, toHex } from '../../../src/core/bytes/bytes.js';
import {
  composeNonce,
  type Nonce1,
  nonce1FromHex,
  nonce2FromNumber,
  nonce2ToHex,
} from '../../../src/core/jobs/nonce.js';
import {
  decodeHeader,
  type Header,
  headerFromBytes,
  powHashWithNonce,
} from '../../../src/core/work/header.js';
import { meetsTarget, type Target, targetFromHexBigEndian } from '../../../src/core/work/target.js';

/** A share that is worth a block. */
export interface FoundBlock {
  readonly powHash: string;
  /** Chain, height and parent: where on the chain it belongs. */
  readonly place: string;
  readonly sentAtMs: number;
  /** When it was answered `true`. */
  takenAtMs?: number;
}

/** What becomes of shares, of all rigs of a process together. */
export interface Tally {
  sent: number;
  /** Sent once more after the connection was lost over which the answer was to come. */
  sentAgain: number;
  /** What was said to shares that were not taken. */
  readonly refused: Map<string, number>;
  readonly refusedAgain: Map<string, number>;
  readonly blocks: FoundBlock[];
  /** Connections that were lost, or that the bridge asked to leave. */
  lost: number;
  asked: number;
  /** Came, and was given nothing for so long that it tried anew. */
  gaveUp: number;
  /** The longest that a rig was without work, since this was looked at last. */
  longestAwayMs: number;
}

export interface RigPlan {
  readonly port: number;
  readonly localAddress: string;
  readonly login: string;
  /** Has a method that only newer software has, so it is asked to leave where others are not. */
  readonly takesReconnect: boolean;
  /** Submits once more what was not answered. */
  readonly sendsAgain: boolean;
}

interface Submit {
  readonly jobId: string;
  readonly nonce2: string;
  readonly isAgain: boolean;
  readonly block: FoundBlock | undefined;
}

interface Job {
  readonly id: string;
  readonly header: Header;
  readonly target: Target;
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: readonly unknown[];
  readonly result?: unknown;
  readonly error?: readonly unknown[] | null;
}

const SUBSCRIBE = 1;
const AUTHORIZE = 2;
const NOTIFY = '{"id":null,"method":"mining.notify"';
/** As rigs do: not all in the same moment, and slower where nobody answers. */
const JITTER_MS = 1_000;
const MOST_JITTER_MS = 4_000;
const GIVE_UP_MS = 60_000;

export class FleetRig {
  /** Shares that were answered `true`. */
  taken = 0;
  /** Shares of which nobody knows: their answer was lost with the connection. */
  uncertain = 0;
  readonly plan: RigPlan;
  readonly #tally: Tally;
  readonly #pending = new Map<number, Submit>();
  /** To be sent again. */
  #unanswered: Submit[] = [];
  #socket: Socket | undefined;
  #isLeaving = false;
  #rest = '';
  #token = '';
  #nonce1: Nonce1 | undefined;
  #isAuthorized = false;
  #target = '';
  /** Taken apart when it is worked on: most jobs never are. */
  #notice = '';
  #job: Job | undefined;
  #tried = 0;
  #lastId = 10;
  #awaySinceMs = performance.now();
  /** Since it had work. */
  #inVain = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(plan: RigPlan, tally: Tally) {
    this.plan = plan;
    this.#tally = tally;
  }

  get works(): boolean {
    return this.#isAuthorized && this.#notice !== '';
  }

  get waiting(): number {
    return this.#pending.size;
  }

  come(): void {
    const { port, localAddress } = this.plan;
    const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#lost());
    socket.on('data', (chunk) => this.#heard(chunk.toString('latin1')));
    this.#say(SUBSCRIBE, 'mining.subscribe', ['fleet-week/1', this.#token]);
    if (this.plan.takesReconnect) this.#say(3, 'mining.extranonce.subscribe', []);
    this.#say(AUTHORIZE, 'mining.authorize', [this.plan.login, 'x']);
    this.#timer = setTimeout(() => {
      this.#tally.gaveUp++;
      socket.destroy();
    }, GIVE_UP_MS);
  }

  /** Finds a share of the newest job and submits it. */
  work(): void {
    const [nonce1, job] = [this.#nonce1, this.#newestJob()];
    if (!this.works || nonce1 === undefined || !job) return;
    const midstate = midstateOf(job.header);
    for (;;) {
      const nonce2 = nonce2FromNumber(this.#tried++);
      const hash = powHashWithNonce(job.header, midstate, composeNonce(nonce1, nonce2));
      if (!meetsTarget(hash, job.target)) continue;
      const block = this.#blockOf(job, hash);
      this.#tally.sent++;
      this.#submit({ jobId: job.id, nonce2: nonce2ToHex(nonce2), isAgain: false, block });
      return;
    }
  }

  /** For good. */
  leave(): void {
    this.#isLeaving = true;
    clearTimeout(this.#timer);
    this.#socket?.end();
  }

  #blockOf({ header }: Job, hash: Uint8Array): FoundBlock | undefined {
    const { target, chainId, height, parent } = decodeHeader(header);
    if (!meetsTarget(hash, target)) return undefined;
    const place = `${chainId} ${height} ${toHex(parent)}`;
    const block = { powHash: toHex(hash), place, sentAtMs: Date.now() };
    this.#tally.blocks.push(block);
    return block;
  }

  #submit(submit: Submit): void {
    this.#pending.set(++this.#lastId, submit);
    this.#say(this.#lastId, 'mining.submit', [this.plan.login, submit.jobId, submit.nonce2]);
  }

  #say(id: number, method: string, params: readonly unknown[]): void {
    this.#socket?.write(`${JSON.stringify({ id, method, params })}\n`);
  }

  #heard(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith(NOTIFY)) this.#takeNotice(line);
      else this.#take(JSON.parse(line) as Message);
    }
  }

  #takeNotice(line: string): void {
    const wasAway = !this.works;
    this.#notice = line;
    this.#job = undefined;
    if (wasAway && this.works) this.#isBack();
  }

  #take({ id, method, params = [], result, error }: Message): void {
    if (method === 'mining.set_target') {
      // It holds for the notices after it.
      this.#newestJob();
      this.#target = String(params[0]);
    } else if (method === 'mining.set_extranonce') this.#nonce1 = nonce1FromHex(String(params[0]));
    else if (method === 'client.reconnect') {
      this.#tally.asked++;
      this.#socket?.end();
    } else if (id === SUBSCRIBE && Array.isArray(result)) {
      this.#token = String(result[0]);
      this.#nonce1 = nonce1FromHex(String(result[1]));
    } else if (id === AUTHORIZE) this.#authorized(result === true, error);
    else if (typeof id === 'number') this.#answered(id, result === true, error);
  }

  #authorized(isGood: boolean, error: Message['error']): void {
    this.#isAuthorized = isGood;
    if (!isGood) count(this.#tally.refused, `authorize: ${error?.[0]} ${error?.[1]}`);
    if (this.works) this.#isBack();
  }

  #isBack(): void {
    this.#inVain = 0;
    clearTimeout(this.#timer);
    const awayMs = performance.now() - this.#awaySinceMs;
    this.#tally.longestAwayMs = Math.max(this.#tally.longestAwayMs, awayMs);
    for (const submit of this.#unanswered.splice(0)) {
      this.#tally.sentAgain++;
      this.#submit({ ...submit, isAgain: true });
    }
  }

  #answered(id: number, isTaken: boolean, error: Message['error']): void {
    const submit = this.#pending.get(id);
    if (!submit) return;
    this.#pending.delete(id);
    const { isAgain, block } = submit;
    if (isTaken) {
      this.taken++;
      if (isAgain) this.uncertain--;
      if (block) block.takenAtMs = Date.now();
    } else count(this.#tally[isAgain ? 'refusedAgain' : 'refused'], `${error?.[0]} ${error?.[1]}`);
  }

  #lost(): void {
    clearTimeout(this.#timer);
    for (const submit of this.#pending.values()) {
      // What was sent again already counts.
      if (submit.isAgain) continue;
      this.uncertain++;
      if (this.plan.sendsAgain) this.#unanswered.push(submit);
    }
    this.#pending.clear();
    if (this.works) this.#awaySinceMs = performance.now();
    this.#isAuthorized = false;
    [this.#rest, this.#notice, this.#job, this.#nonce1] = ['', '', undefined, undefined];
    if (this.#isLeaving) return;
    this.#tally.lost++;
    const jitterMs = Math.min(MOST_JITTER_MS, JITTER_MS * 2 ** this.#inVain++);
    this.#timer = setTimeout(() => this.come(), Math.random() * jitterMs);
  }

  #newestJob(): Job | undefined {
    if (this.#job || this.#notice === '') return this.#job;
    const { params = [] } = JSON.parse(this.#notice) as Message;
    const target = targetFromHexBigEndian(this.#target);
    if (!target) throw new Error('a job came before its target');
    const header = headerFromBytes(fromHex(String(params[1])) ?? new Uint8Array());
    this.#job = { id: String(params[0]), header, target };
    return this.#job;
  }
}

/** Of no single job or chain. */
function count(counts: Map<string, number>, said: string): void {
  const what = said.replace(/\b[0-9a-f]{8,}\b/g, '…').replace(/chain \d+/, 'chain …');
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
