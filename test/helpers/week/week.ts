/**
 * A week, or an hour, of a bridge with rigs of all kinds, in fast motion: its clock moves by steps, and within a step all that
 * is on its way arrives. Needs `setInterval` of Vitest's own, which it moves too.
 */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';
import { NonceSpace } from '../../../src/core/jobs/nonce.js';
import type { Share } from '../../../src/core/shares/share.js';
import { chooseKernel, createKernel } from '../../../workers/kernels.js';
import { randomMessage } from '../fuzz/messages.js';
import { Random } from '../fuzz/random.js';
import { RawWire } from '../fuzz/raw-wire.js';
import { startTestBridge, type TestBridge } from '../stories/stratum-bridge.js';
import { planOf } from './plans.js';
import { SimRig } from './rigs.js';

export interface WeekOptions {
  readonly seed: number;
  readonly rigs: number;
  readonly hours: number;
  readonly stepMs: number;
  readonly secondsPerShare: number;
  /** How often in an hour a rig loses its connection; a liar lies as often. */
  readonly lossesAnHour: number;
  /** After so many hours the bridge starts anew. */
  readonly restarts: readonly number[];
  /** After each hour. */
  readonly onHour?: (hour: number) => void;
}

/** What a story of a week comes to. */
export interface Week {
  /** Login of the rig -> expected hashes: as the bridge kept them, and as the rigs were answered. */
  readonly kept: ReadonlyMap<string, bigint>;
  readonly answered: ReadonlyMap<string, bigint>;
  readonly shares: number;
  /** By what a rig names when it comes back: shares from before that were answered `true`. */
  readonly late: Readonly<Record<string, number>>;
  /** What was said to right submits that were not taken, of rigs that never lie and so are not banned. */
  readonly refused: Readonly<Record<string, number>>;
  readonly bans: number;
  readonly strangers: number;
  readonly returns: number;
}

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
/** As long as a node keeps a work. */
const REST_MS = 330_000;
/** Strangers are to fill it within two days, so that what grows after is none of them. */
const REMEMBERED = 2_000;
const CHAINS = [3, 4];
const CUT_EVERY_MS = 1_200_000;
const RESTART_TAKES_MS = 5_000;
/** Turns of the event loop without a word, after which nothing is on its way. */
const QUIET_TURNS = 4;
const MANY_TURNS = 1_000;
const MOST_TURNS = 200_000;
const LIES = 400;
const STRANGER_LINES = 60;
const FLOOD_LINES = 6_000;

export class WeekStory {
  readonly rigs: readonly SimRig[];
  readonly #options: WeekOptions;
  readonly #random: Random;
  readonly #kept = new Map<string, bigint>();
  #bridge: TestBridge | undefined;
  #nowMs = START_MS;
  #words = 0;
  #cuts = 0;
  #bans = 0;
  #strangers = 0;
  #returns = 0;
  #guests: RawWire[] = [];

  constructor(options: WeekOptions) {
    const { seed, rigs } = options;
    this.#options = options;
    this.#random = Random.of(seed, 0);
    const kernel = createKernel(chooseKernel().name);
    this.rigs = Array.from({ length: rigs }, (_, i) => {
      const random = Random.of(seed, i + 1);
      return new SimRig(planOf(i, options.secondsPerShare, random), kernel, random);
    });
  }

  get bridge(): TestBridge {
    if (!this.#bridge) throw new Error('no bridge runs');
    return this.#bridge;
  }

  get result(): Week {
    const late: Record<string, number> = {};
    const refused: Record<string, number> = {};
    const answered = new Map<string, bigint>();
    for (const rig of this.rigs) {
      late[rig.plan.returns] = (late[rig.plan.returns] ?? 0) + rig.lateShares;
      if (rig.answered > 0n) answered.set(`${rig.plan.account}.${rig.plan.rig}`, rig.answered);
      if (rig.plan.isLiar) continue;
      for (const [words, count] of rig.refused) refused[words] = (refused[words] ?? 0) + count;
    }
    const shares = this.rigs.reduce((sum, rig) => sum + rig.shares, 0);
    const counts = { bans: this.#bans, strangers: this.#strangers, returns: this.#returns };
    return { kept: this.#kept, answered, shares, late, refused, ...counts };
  }

  async run(): Promise<void> {
    const { hours, stepMs, restarts, onHour } = this.#options;
    const steps = Math.round((hours * HOUR_MS) / stepMs);
    const restartSteps = new Set(restarts.map((hour) => Math.round((hour * HOUR_MS) / stepMs)));
    await this.#start();
    for (let step = 1; step <= steps; step++) {
      if (restartSteps.has(step)) await this.#restart();
      await this.#step(step);
      if (onHour && (step * stepMs) % HOUR_MS === 0) onHour((step * stepMs) / HOUR_MS);
    }
  }

  /** All leave, and so much time passes that nothing of them is to be held. */
  async end(): Promise<void> {
    for (const rig of this.rigs) rig.leave();
    for (const guest of this.#guests) guest.reset();
    await this.#settle();
    for (let i = 0; i < 20; i++) this.#pass(REST_MS);
    await this.#settle();
  }

  async close(): Promise<void> {
    await this.#bridge?.[Symbol.asyncDispose]();
  }

  async #start(former?: TestBridge): Promise<void> {
    this.#bridge = await startTestBridge({
      ...{ startMs: this.#nowMs, standsStill: true, forgets: true, rolls: true, residue: 8 },
      nonceSpace: new NonceSpace(REST_MS),
      shareDifficulty: 'vardiff',
      vardiff: { secondsPerShare: this.#options.secondsPerShare, startDifficulty: 64, minDifficulty: 4 },
      limits: { remembered: REMEMBERED },
      append: async (share) => this.#keep(share),
      ...(former ? { former: { rigs: former.server.kept, agoMs: RESTART_TAKES_MS } } : {}),
      ...(former ? { formerJobs: former.book.kept, firstJob: nextJobOf(former) } : {}),
    });
    this.#bridge.events.on('banned', () => {
      this.#bans++;
    });
    for (const chainId of CHAINS) this.#offer(chainId);
  }

  /** Some have just sent shares: those have their answers, or are not kept. */
  async #restart(): Promise<void> {
    const former = this.bridge;
    for (const rig of this.rigs) rig.work(1);
    await turn();
    await former[Symbol.asyncDispose]();
    await this.#settle();
    this.#nowMs += RESTART_TAKES_MS;
    await this.#start(former);
  }

  async #step(step: number): Promise<void> {
    const { stepMs } = this.#options;
    if (Math.floor((step * stepMs) / CUT_EVERY_MS) > this.#cuts) this.#cut();
    this.#pass(stepMs);
    await this.#settle();
    for (const rig of this.rigs) this.#play(rig);
    this.#strangersCome();
    await this.#settle();
    const { submits, closings } = this.bridge;
    submits.length = 0;
    closings.length = 0;
  }

  #play(rig: SimRig): void {
    const { stepMs, lossesAnHour } = this.#options;
    const lost = (lossesAnHour * stepMs) / HOUR_MS;
    if (!rig.isConnected) {
      this.#returns++;
      rig.connect(this.bridge.port(rig.plan.transport), () => void this.#words++);
      return;
    }
    const [isLost, lies] = [this.#random.chance(lost), this.#random.chance(lost)];
    if (isLost) rig.vanish();
    else if (lies && rig.plan.isLiar) rig.lie(LIES);
    else rig.work(stepMs / 1000);
  }

  /** A new block on one of the chains: what was found before it counts no more. */
  #cut(): void {
    this.#cuts++;
    this.#offer(CHAINS[this.#cuts % CHAINS.length] ?? 0);
  }

  #offer(chainId: number): void {
    const height = 7 + this.#cuts;
    const creationTime = BigInt(this.#nowMs) * 1000n;
    const [parent, payload] = [height & 255, (height >> 8) & 255];
    this.bridge.offer({ chainId, height, parent, payload, creationTime, difficulty: 1n << 60n });
  }

  #strangersCome(): void {
    for (const guest of this.#guests.splice(0)) guest.reset();
    const count = this.#random.count(2);
    for (let i = 0; i < count; i++) {
      const number = this.#strangers++;
      const localAddress = `127.200.${(number >> 8) & 255}.${number & 255}`;
      const transport = this.#random.pick(['tcp', 'ws'] as const);
      const lines = this.#random.chance(0.02)
        ? Array<string>(FLOOD_LINES).fill('{"id":1,"method":"mining.ping"}')
        : this.#random.times(this.#random.below(STRANGER_LINES), () => randomMessage(this.#random));
      const guest: RawWire = new RawWire({
        ...{ transport, localAddress, port: this.bridge.port(transport) },
        onOpen: () => {
          for (const line of lines) guest.sendLine(line);
        },
        onText: () => void this.#words++,
        onFault: () => undefined,
      });
      this.#guests.push(guest);
    }
  }

  #keep({ account, rig, difficulty }: Share): void {
    const login = `${account}.${rig}`;
    this.#kept.set(login, (this.#kept.get(login) ?? 0n) + difficulty);
  }

  #pass(ms: number): void {
    this.#nowMs += ms;
    this.bridge.skewMs += ms;
    vi.advanceTimersByTime(1000);
  }

  /** Until nobody has said a word for some turns, and each submit has its answer. */
  async #settle(): Promise<void> {
    for (let turns = 0, quiet = 0; quiet < QUIET_TURNS; turns++) {
      const before = this.#words;
      // Who is cut for not following a goodbye is cut by the real clock.
      await (turns < MANY_TURNS ? turn() : sleep(1));
      const isQuiet = this.#words === before && !this.rigs.some((rig) => rig.waiting > 0);
      quiet = isQuiet ? quiet + 1 : 0;
      if (turns > MOST_TURNS) throw new Error('a submit has no answer');
    }
  }
}

/** Past the numbers of all jobs that it has kept. */
function nextJobOf({ book }: TestBridge): number {
  return book.kept.jobs.reduce((last, { number }) => Math.max(last, number), 0) + 1;
}
