/**
 * What one node is among others, and what each event makes of that. Pure: the same life and event give the same. The
 * table of its states stands in README.md.
 */
import type { NodeState } from '../operations/enums.js';
import type { Distrust } from './standing.js';

export interface NodeLife {
  readonly state: NodeState;
  /** Empty while it is unknown. */
  readonly network: string;
  /** Why it gives no work, or how it does. */
  readonly said: string;
  /** Questions in a row without a good answer; 0 while all is well. */
  readonly failures: number;
  /** One of them was silence: its streams may be dead too. */
  readonly isDeaf: boolean;
  /** When the question was asked that the first of them was the answer to. */
  readonly troubleSinceMs: number | undefined;
  /** What comparing it with others found. */
  readonly distrust: Distrust | undefined;
  /** Rounds of comparing in a row that found something. */
  readonly rounds: number;
  /** What it was caught with last. */
  readonly forgery: { readonly reason: string; readonly untilMs: number; readonly ms: number } | undefined;
  /** Why its word does not count; `undefined` while it does. */
  readonly doubt: string | undefined;
  /** How far this machine's clock is ahead of the node's, as told; 0 while it is not worth a word. */
  readonly skewMs: number;
  /** Rigs work for it. */
  readonly isInUse: boolean;
  /** It may be worked for. One in use stays fit for a while when it is in trouble. */
  readonly isFit: boolean;
  /** `-Infinity` for one that has never fallen: at the start nobody waits for the first to prove itself. */
  readonly fitSinceMs: number;
  /** How often it was no longer fit, of late. */
  readonly falls: number;
}

/** A question that was not answered with work. */
export interface Fault {
  readonly state: Exclude<NodeState, 'starting' | 'healthy' | 'quarantined'>;
  readonly reason: string;
  /** It did not answer, which may be no more than that it has no work for the moment. */
  readonly isSilence: boolean;
  /** Nothing at all came, so that its streams may be as dead. */
  readonly isDeaf: boolean;
  /** When it was asked. */
  readonly askedAtMs: number;
}

export type NodeEvent =
  /** A work of some chain came. */
  | { readonly kind: 'gave'; readonly network: string; readonly said: string }
  /** The question whether all is well was answered with work. */
  | { readonly kind: 'well'; readonly network: string; readonly said: string }
  /** The network is empty where the node has not been found. */
  | { readonly kind: 'failed'; readonly network: string; readonly fault: Fault }
  /** It did not answer another question. */
  | { readonly kind: 'suspected' }
  /** It was compared with the others; in a round all were asked anew for it. */
  | { readonly kind: 'compared'; readonly distrust: Distrust | undefined; readonly isRound: boolean }
  /** It gave an answer that does not agree with its hash. */
  | { readonly kind: 'caught'; readonly words: string; readonly advice: string }
  /** It told its time. */
  | { readonly kind: 'timed'; readonly aheadMs: number }
  /** Rigs are sent to it, or away from it. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'left' }
  /** Nothing but time. */
  | { readonly kind: 'passed' };

/** `atMs`: milliseconds, never less than those of the last one. */
type DatedEvent = { readonly atMs: number } & NodeEvent;

export interface NodeRules {
  /** The node in use is left when it has given no good answer for so long. */
  readonly switchAfterMs: number;
  /** A better node is returned to after it was good for so long. */
  readonly failbackAfterMs: number;
}

export const NEW_NODE: NodeLife = {
  state: 'starting',
  network: '',
  said: 'not asked yet',
  failures: 0,
  isDeaf: false,
  troubleSinceMs: undefined,
  distrust: undefined,
  rounds: 0,
  forgery: undefined,
  doubt: undefined,
  skewMs: 0,
  isInUse: false,
  isFit: false,
  fitSinceMs: Number.NEGATIVE_INFINITY,
  falls: 0,
};

/** Timeouts in a row that are taken for a node that has no work for the moment. */
export const PATIENCE = 3;
/** Being behind in one round may be a block that is on its way. */
const ROUNDS_BEHIND = 2;
/** A node that gave a forged answer is not trusted for so long, and for twice as long each time it does it again. */
const FORGED_MS = 60_000;
const LONGEST_FORGED_MS = 3_600_000;
/** Differences between this machine's clock and the node's that are worth a word; header times follow the node's. */
const WORTH_A_WORD_MS = 5_000;
/** After this many falls the wait grows no more. */
const MAX_DOUBLINGS = 5;
/** So many times its wait without a fall, and a node's falls are forgotten. */
const FORGIVEN_AFTER = 5;

export function next(life: NodeLife, event: DatedEvent, rules: NodeRules): NodeLife {
  return fitted(doubted(saw(life, event), event.atMs), event.atMs, rules);
}

/** State and reason for people. */
export function statusOf({ state, network, said, doubt, skewMs }: NodeLife): {
  state: NodeState;
  network: string;
  reason: string;
} {
  if (state === 'quarantined') return { state, network, reason: doubt ?? '' };
  const isTold = state === 'healthy' && skewMs !== 0;
  return { state, network, reason: isTold ? `${said}; ${skewInWords(skewMs)}` : said };
}

export function givesWork({ state }: Pick<NodeLife, 'state'>): boolean {
  return state === 'healthy' || state === 'quarantined';
}

/** Its works are not for rigs, also when there is no other node. One that was caught lying about a block may be the only one. */
export function isBarred({ state, distrust }: NodeLife): boolean {
  return state === 'quarantined' && distrust !== undefined;
}

/**
 * The place of the node to work for: the first in the operator's order that is fit, and a better one than that in use only when
 * it was fit for a while. While none is fit it is the last one: its jobs may still be good.
 */
export function choose(
  lives: readonly NodeLife[],
  inUse: number | undefined,
  atMs: number,
  rules: NodeRules,
): number | undefined {
  const current = inUse === undefined ? undefined : lives[inUse];
  const mayTake = (life: NodeLife): boolean => life.isFit && atMs - life.fitSinceMs >= waitMs(life, rules);
  const found = current?.isFit
    ? lives.findIndex((life) => life === current || mayTake(life))
    : lives.findIndex(({ isFit }) => isFit);
  return found >= 0 ? found : inUse;
}

/** Until time alone may lead to another choice; `undefined` when it will not. */
export function untilChangeMs(
  lives: readonly NodeLife[],
  inUse: number | undefined,
  atMs: number,
  rules: NodeRules,
): number | undefined {
  const better = lives.slice(0, inUse ?? 0).filter(({ isFit }) => isFit);
  const returns = better.map((life) => Math.max(0, life.fitSinceMs + waitMs(life, rules) - atMs));
  const leaves = lives.map((life) => patienceMs(life, atMs, rules)).filter((ms) => ms > 0);
  const waits = [...returns, ...leaves];
  return waits.length === 0 ? undefined : Math.min(...waits);
}

function saw(life: NodeLife, event: DatedEvent): NodeLife {
  switch (event.kind) {
    case 'gave':
      return { ...life, state: 'healthy', network: event.network, said: event.said };
    case 'well': {
      const well = { failures: 0, isDeaf: false, troubleSinceMs: undefined } as const;
      return { ...life, ...well, state: 'healthy', network: event.network, said: event.said };
    }
    case 'failed':
      return failed(life, event);
    case 'suspected':
      // One more question without an answer, and it is in trouble.
      return life.failures > 0 || !givesWork(life) ? life : { ...life, failures: PATIENCE - 1, isDeaf: true };
    case 'compared':
      return compared(life, event);
    case 'caught':
      return caught(life, event);
    case 'timed':
      return timed(life, event.aheadMs);
    case 'taken':
    case 'left':
      return { ...life, isInUse: event.kind === 'taken' };
    case 'passed':
      return life;
  }
}

function failed(life: NodeLife, { fault, network }: NodeEvent & { kind: 'failed' }): NodeLife {
  const failing = {
    ...life,
    failures: life.failures + 1,
    isDeaf: life.isDeaf || fault.isDeaf,
    troubleSinceMs: life.troubleSinceMs ?? fault.askedAtMs,
  };
  const mayHaveNone = fault.isSilence && network !== '' && failing.failures < PATIENCE;
  return mayHaveNone ? failing : { ...failing, state: fault.state, said: fault.reason, network };
}

function compared(life: NodeLife, { distrust, isRound }: NodeEvent & { kind: 'compared' }): NodeLife {
  const rounds = distrust ? life.rounds + (isRound ? 1 : 0) : 0;
  const isSure = distrust?.kind !== 'behind' || rounds >= ROUNDS_BEHIND;
  return { ...life, rounds, distrust: isSure ? distrust : life.distrust };
}

function caught(life: NodeLife, { atMs, words, advice }: DatedEvent & { kind: 'caught' }): NodeLife {
  const before = life.forgery;
  if (before && atMs < before.untilMs) return life;
  // Long after the last time it counts as the first.
  const isAgain = before && atMs - before.untilMs < LONGEST_FORGED_MS;
  const ms = isAgain ? Math.min(LONGEST_FORGED_MS, before.ms * 2) : FORGED_MS;
  const reason = `${words}: not trusted for ${ms / 60_000} min; ${advice}`;
  return { ...life, forgery: { reason, untilMs: atMs + ms, ms } };
}

/** Told anew only when it jumps: it wavers with every answer. */
function timed(life: NodeLife, aheadMs: number): NodeLife {
  const isSkewed = Math.abs(aheadMs) > WORTH_A_WORD_MS;
  if (isSkewed && life.skewMs !== 0 && Math.abs(aheadMs - life.skewMs) <= WORTH_A_WORD_MS) return life;
  return { ...life, skewMs: isSkewed ? aheadMs : 0 };
}

/** One that was caught is no better while it gives no work. */
function doubted(life: NodeLife, atMs: number): NodeLife {
  const isCaught = life.forgery !== undefined && atMs < life.forgery.untilMs;
  const gives = givesWork(life);
  const distrust = gives ? life.distrust?.reason : undefined;
  const doubt = isCaught ? life.forgery?.reason : distrust;
  if (!gives) return { ...life, doubt };
  return { ...life, doubt, state: doubt === undefined ? 'healthy' : 'quarantined' };
}

function fitted(life: NodeLife, atMs: number, rules: NodeRules): NodeLife {
  const isFit = life.state === 'healthy';
  if (isFit === life.isFit || patienceMs(life, atMs, rules) > 0) return life;
  if (isFit) return { ...life, isFit, fitSinceMs: life.falls > 0 ? atMs : life.fitSinceMs };
  const isForgiven = atMs - life.fitSinceMs > FORGIVEN_AFTER * waitMs(life, rules);
  return { ...life, isFit, falls: (isForgiven ? 0 : life.falls) + 1 };
}

/** How long the node in use may still recover before it is left; 0 for one that is well, or not to be trusted. */
function patienceMs(life: NodeLife, atMs: number, { switchAfterMs }: NodeRules): number {
  if (!life.isInUse || life.troubleSinceMs === undefined || life.state === 'quarantined') return 0;
  return Math.max(0, life.troubleSinceMs + switchAfterMs - atMs);
}

/** Longer each time it fell, so that rigs are not sent to and fro. */
function waitMs({ falls }: NodeLife, { failbackAfterMs }: NodeRules): number {
  return failbackAfterMs * 2 ** Math.min(MAX_DOUBLINGS, Math.max(0, falls - 1));
}

function skewInWords(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  return `this machine's clock is ${seconds} s ${side} the node's: set it right with NTP`;
}
