/**
 * Pays on chain what is due: plans, builds, has signed, sends, and sends again. What became of it the ledger reads from blocks. Each step is
 * committed under the token of the role before its effect.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type PayerBooks,
  type PayerRole,
  type PayerRules,
  type PayerState,
  RoleLostError,
} from '../../bridge/payouts/payer-books.js';
import { faultOf, type Log } from '../../core/names/log.js';
import { nextAfter, parseSchedule } from '../../values/schedule.js';
import { type Signer, SignerError } from '../signer/signer.js';
import { buildNext } from './building.js';
import type { Belief, PayerNodes } from './nodes.js';
import { planPayout } from './planning.js';
import { sendAgain, sendFirst } from './sending.js';
import { signNext } from './signing.js';
import { type Memory, MICROS, type PayerTerms, type Turn } from './turn.js';

interface PayerOptions {
  readonly books: PayerBooks;
  readonly terms: PayerTerms;
  readonly nodes: PayerNodes;
  /** `undefined`: others sign, elsewhere. */
  readonly openSigner: () => Promise<Signer | undefined>;
  /** These books were made by this very start. */
  readonly isNewLedger: boolean;
  /** By these rules. `warning`: what is dangerous about paying here, in a sentence; empty: nothing. `auto` does not do it. */
  readonly belief: (rules: PayerRules) => Belief & { readonly warning: string };
  readonly log: Log;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 3_000;
/** Until nodes are asked again of what they could not be asked of. */
const TURNS_PUT_OFF = 20;

export interface RunningPayer {
  close(): Promise<void>;
}

export function startPayer(options: PayerOptions): RunningPayer {
  const payer = new Payer(options);
  payer.start();
  return payer;
}

class Payer implements RunningPayer {
  readonly #options: PayerOptions;
  readonly #closing = new AbortController();
  readonly #memory: Memory = {
    prices: new Map(),
    sentAtMs: new Map(),
    refusedAtMs: new Map(),
    askedAtMs: new Map(),
    toldDead: new Set(),
  };
  #role: PayerRole | undefined;
  #signer: Signer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  #isFirst = true;
  #planNotBeforeMs = 0;
  /** Why it waits, as it was said last. */
  #said = '';

  constructor(options: PayerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#next(0);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#turn;
    await this.#leave().catch(() => {}); // its silence says so, too
    await this.#signer?.close();
  }

  #next(afterMs: number): void {
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#turn = this.#look().finally(() => this.#next(this.#options.intervalMs ?? INTERVAL_MS));
    }, afterMs);
  }

  async #look(): Promise<void> {
    const { books, nodes, belief } = this.#options;
    try {
      const rules = await books.rules();
      const { warning, ...by } = belief(rules);
      nodes.beginTurn(by);
      const isDangerous = rules.payoutMode === 'auto' && warning !== '';
      if (rules.payoutMode === 'manual' || isDangerous) await this.#leave();
      else this.#role ??= await this.#take(warning);
      if (this.#role) await this.#work(this.#role, rules);
      this.#tell(isDangerous ? { why: warning } : undefined);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      if (error instanceof RoleLostError) this.#role = undefined;
      const isExpected = error instanceof SignerError || error instanceof RoleLostError;
      this.#tell(isExpected ? { why: error.message } : faultOf(error as Error));
    }
  }

  /** Once. */
  #tell(fields: object | undefined): void {
    const said = JSON.stringify(fields) ?? '';
    if (said !== this.#said && fields) this.#options.log.warn(fields, 'payments wait; tried again');
    this.#said = said;
  }

  async #take(warning: string): Promise<PayerRole | undefined> {
    const { books, terms, nodes, openSigner, isNewLedger, log } = this.#options;
    this.#signer ??= await openSigner();
    const times = Array.from((await nodes.heads()).values(), ({ timeMicros }) => timeMicros);
    const [newest] = times.sort((a, b) => (a < b ? 1 : -1));
    if (newest === undefined) return undefined;
    const role = await books.take({
      ...{ place: terms.place, account: terms.from.account, validityMicros: BigInt(terms.ttlS) * MICROS },
      ...{ seenMicros: newest, isNewLedger: isNewLedger && this.#isFirst, warning },
    });
    this.#isFirst = false;
    if (role) log.info({ account: terms.from.account }, 'this bridge pays on chain');
    return role;
  }

  async #leave(): Promise<void> {
    await this.#role?.leave();
    this.#role = undefined;
  }

  async #work(role: PayerRole, rules: PayerRules): Promise<void> {
    const { terms, nodes, log } = this.#options;
    const { signal } = this.#closing;
    const turn: Turn = { role, terms, rules, nodes, log, signal, signer: this.#signer, memory: this.#memory };
    let state = await role.state();
    // First: whatever else cannot be done keeps nothing from it.
    await sendAgain(turn, state);
    // Of thousands that are open each look takes some milliseconds: rigs have their turn between two.
    await nextTurn();
    const isPaused = state.pauses.length > 0;
    if (!isPaused && state.isReady) {
      if (isDue(state, rules) && performance.now() >= this.#planNotBeforeMs) {
        const came = await planPayout(turn, state);
        const againMs = TURNS_PUT_OFF * (this.#options.intervalMs ?? INTERVAL_MS);
        if (came === 'putOff') this.#planNotBeforeMs = performance.now() + againMs;
        if (came === 'planned') state = await role.state();
      }
      if (await buildNext(turn, state)) state = await role.state();
    }
    if (!isPaused) {
      if (await signNext(turn, state)) state = await role.state();
      await sendFirst(turn, state);
    }
    await nextTurn();
    this.#forgetOthers(state);
  }

  /** What is over is not worth remembering. */
  #forgetOthers({ open, lines }: PayerState): void {
    const { sentAtMs, refusedAtMs, askedAtMs, toldDead } = this.#memory;
    const [ids, lineIds] = [new Set(open.map(({ id }) => id)), new Set(lines.map(({ id }) => id))];
    const dead = new Set(open.flatMap(({ deadKeys }) => deadKeys));
    for (const times of [sentAtMs, askedAtMs])
      for (const id of times.keys()) if (!ids.has(id)) times.delete(id);
    for (const id of refusedAtMs.keys()) if (!lineIds.has(id)) refusedAtMs.delete(id);
    for (const key of toldDead) if (!dead.has(key)) toldDead.delete(key);
  }
}

function isDue({ plannedAtMs, nowMs, isAsked, isWaiting, chains }: PayerState, rules: PayerRules): boolean {
  const schedule = parseSchedule(rules.payoutSchedule);
  const nextMs = typeof schedule === 'string' ? undefined : nextAfter(schedule, plannedAtMs);
  const mayPlan = rules.payoutMode === 'auto' || !isWaiting;
  return mayPlan && chains.length > 0 && (isAsked || (nextMs !== undefined && nextMs <= nowMs));
}
