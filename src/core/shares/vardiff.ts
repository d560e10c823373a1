/**
 * Vardiff: which share difficulty makes a rig of unknown speed send shares at a set pace.
 *
 * A pure function of (state, event, now). Shares are a Poisson process whose rate is the hash rate over the difficulty in
 * force, so what is counted is shares and exposure, the sum of seconds over difficulty: their quotient is the best
 * estimate of the hash rate whatever the difficulty was meanwhile, and its relative error is one over the root of the
 * shares. A change of difficulty spoils nothing that was learned, and there is no loop that could oscillate.
 *
 * - The estimate fades so that some 200 shares count (standard error 7 %); the difficulty follows it.
 * - The check compares the last shares with what the rig is held for. When chance no longer explains the difference, it
 *   has become another, and what the check has seen replaces the estimate.
 * - A rig that turns out much faster is sounded first: a difficulty that lets it send some shares a second until enough
 *   of them came, so that the step to the set pace is right at once. After it shares are too few to correct much.
 *
 * Numbers are doubles: this steers, it credits nothing.
 */

export interface VardiffSettings {
  /** Seconds between shares that are aimed at. */
  readonly secondsPerShare: number;
  /** Expected hashes of a share for a rig of which nothing is known. */
  readonly startDifficulty: number;
  readonly minDifficulty: number;
  readonly maxDifficulty: number;
  /** Only powers of two, for rigs that cannot take others. */
  readonly powersOfTwo: boolean;
}

export const VARDIFF_SETTINGS: VardiffSettings = {
  secondsPerShare: 10,
  startDifficulty: 2 ** 30,
  minDifficulty: 2 ** 16,
  maxDifficulty: 1e18,
  powersOfTwo: false,
};

export interface VardiffState {
  /** What the rig should get. */
  readonly difficulty: number;
  /** What the rig is held for. */
  readonly hashesPerSecond: number;
  readonly estimate: Evidence;
  readonly check: Evidence;
  /** The rig is much faster than it was held for; how much is being found out. */
  readonly sounding: boolean;
  /** No share has come since the start. */
  readonly silent: boolean;
  /** Until then, or its first share after a large step, the rig may still work on a job from before it. */
  readonly stepsUntilMs: number;
  readonly nowMs: number;
}

interface Evidence {
  readonly shares: number;
  /** Sum of seconds over difficulty: shares that a rig of one hash a second would have sent. */
  readonly exposure: number;
  readonly seconds: number;
}

export interface VardiffEvent {
  /** `tick`: nothing came, but time has passed. */
  readonly kind: 'share' | 'tick';
  /** Of the share, as issued. */
  readonly difficulty?: number;
  /** Of the newest job, as issued: what the rig has been working for since the last event. */
  readonly inForce: number;
}

const NOTHING: Evidence = { shares: 0, exposure: 0, seconds: 0 };
/** The estimate remembers so many: its standard error is one over the root of this. */
const REMEMBERED_SHARES = 200;
/** A check that holds this many expected shares begins anew. */
const CHECK_SHARES = 32;
/** Silence for this many expected shares lowers the difficulty of a rig that never sent one. */
const SILENT_START_SHARES = 5;
/** An estimate from fewer shares is not followed. */
const LEAST_SHARES = 16;
/** Least relative change, so that noise does not send targets around. */
const HYSTERESIS = 0.1;
/** Of powers of two: three quarters of the way to the next one. */
const POWER_HYSTERESIS = 0.75 * Math.LN2;
/** While a rig is sounded. */
const SOUNDING_SECONDS_PER_SHARE = 0.25;
/** A speed that is known from so many shares is off by a factor of two once in ten million times. */
const SOUNDED_SHARES = 64;
/** Sounding is over by then also with fewer: some twenty shares at the least, if the rig keeps its speed. */
const SOUNDING_SECONDS = 20;
/** A change by this factor gets a job of its own, which takes half a second and the way to the rig. */
const LARGE_STEP = 2;
const STEP_MS = 3000;
/** Clocks are coarse and shares may come all at once: an event takes at least this, and evidence is not taken for less. */
const LEAST_EVENT_MS = 1e-3;
const LEAST_SECONDS = 1e-3;

/** @param difficulty where a returning rig was; otherwise it starts where the settings say. */
export function startVardiff(settings: VardiffSettings, nowMs: number, difficulty?: number): VardiffState {
  const start = limited(settings, difficulty ?? settings.startDifficulty);
  return {
    difficulty: start,
    hashesPerSecond: start / settings.secondsPerShare,
    estimate: NOTHING,
    check: NOTHING,
    sounding: false,
    silent: true,
    stepsUntilMs: nowMs,
    nowMs,
  };
}

export function stepVardiff(
  settings: VardiffSettings,
  state: VardiffState,
  event: VardiffEvent,
  nowMs: number,
): VardiffState {
  const seconds = Math.max(LEAST_EVENT_MS, nowMs - state.nowMs) / 1000;
  const current = {
    ...state,
    silent: state.silent && event.kind === 'tick',
    nowMs: Math.max(nowMs, state.nowMs),
  };
  if (nowMs < state.stepsUntilMs) {
    // From a share on is as good a time to count from as any: the wait for the next one knows nothing of it.
    const hasArrived = event.kind === 'share' && isNear(event.difficulty ?? event.inForce, state.difficulty);
    return hasArrived ? { ...current, stepsUntilMs: nowMs } : current;
  }
  const estimate = faded(grown(state.estimate, event, seconds));
  const check = grown(state.check, event, seconds);
  return reviewed(settings, { ...current, estimate, check });
}

/** Shares of a job from before a large step are late: the time in which they were made was counted then. */
function grown({ shares, exposure, seconds }: Evidence, event: VardiffEvent, passed: number): Evidence {
  const { kind, inForce, difficulty = inForce } = event;
  const counts = kind === 'share' && isNear(difficulty, inForce);
  return {
    shares: shares + (counts ? 1 : 0),
    exposure: exposure + passed / inForce,
    seconds: seconds + passed,
  };
}

function faded(evidence: Evidence): Evidence {
  const part = REMEMBERED_SHARES / evidence.shares;
  if (part >= 1) return evidence;
  return {
    shares: evidence.shares * part,
    exposure: evidence.exposure * part,
    seconds: evidence.seconds * part,
  };
}

function reviewed(settings: VardiffSettings, state: VardiffState): VardiffState {
  const { check, silent } = state;
  const expected = state.hashesPerSecond * check.exposure;
  if (isTooMany(check.shares, expected)) {
    // The share that proved it came early for its time.
    const estimate = { ...check, shares: check.shares - 1 };
    const faster = { ...state, estimate, check: NOTHING, sounding: true };
    return sounded(settings, { ...faster, hashesPerSecond: speedOf(estimate) });
  }
  if (isTooFew(check.shares, expected, silent)) {
    // The clock proved it, with a part of the next share under way.
    const estimate = { ...check, shares: check.shares + 0.7 };
    const slower = { ...state, estimate, check: NOTHING, hashesPerSecond: speedOf(estimate) };
    return state.sounding ? sounded(settings, slower) : stepped(settings, slower, settings.secondsPerShare);
  }
  const next = expected > CHECK_SHARES ? { ...state, check: NOTHING } : state;
  return next.sounding ? sounded(settings, next) : adjusted(settings, next);
}

/** Chance explains either less than once in some 100,000 looks, as checks look all the time. */
function isTooMany(shares: number, expected: number): boolean {
  return shares - expected > 4 * Math.sqrt(expected) + 8;
}

function isTooFew(shares: number, expected: number, silent: boolean): boolean {
  return silent ? expected > SILENT_START_SHARES : expected - shares > 4 * Math.sqrt(expected);
}

/** In hashes a second. */
function speedOf({ shares, exposure, seconds }: Evidence): number {
  return (shares / exposure) * Math.min(1, seconds / LEAST_SECONDS);
}

/** Up to where it sends some shares a second, and once these are enough, to the set pace. */
function sounded(settings: VardiffSettings, state: VardiffState): VardiffState {
  const { estimate, difficulty } = state;
  if (estimate.shares >= SOUNDED_SHARES || estimate.seconds >= SOUNDING_SECONDS)
    return stepped(settings, { ...state, sounding: false }, settings.secondsPerShare);
  const pace = Math.min(SOUNDING_SECONDS_PER_SHARE, settings.secondsPerShare);
  const wanted = limited(settings, speedOf(estimate) * pace);
  return wanted >= LARGE_STEP * difficulty ? stepped(settings, state, pace) : state;
}

/** Follows the estimate once it is surer than the difficulty in force. */
function adjusted(settings: VardiffSettings, state: VardiffState): VardiffState {
  const { estimate, difficulty } = state;
  if (estimate.shares < LEAST_SHARES) return state;
  // Not rounded: between two powers of two the nearest one flips.
  const wanted = bounded(settings, speedOf(estimate) * settings.secondsPerShare);
  const change = Math.log(ratio(wanted, difficulty));
  const leastChange = settings.powersOfTwo
    ? POWER_HYSTERESIS
    : Math.max(HYSTERESIS, 1 / Math.sqrt(estimate.shares));
  return change > leastChange ? stepped(settings, state, settings.secondsPerShare) : state;
}

/** To what the estimate says, at so many seconds a share. */
function stepped(settings: VardiffSettings, state: VardiffState, secondsPerShare: number): VardiffState {
  const hashesPerSecond = speedOf(state.estimate);
  const difficulty = limited(settings, hashesPerSecond * secondsPerShare);
  const next = { ...state, difficulty, hashesPerSecond };
  if (isNear(difficulty, state.difficulty)) return next;
  return { ...next, check: NOTHING, stepsUntilMs: state.nowMs + STEP_MS };
}

function isNear(a: number, b: number): boolean {
  return ratio(a, b) < LARGE_STEP;
}

/** At least 1. */
function ratio(a: number, b: number): number {
  return Math.max(a / b, b / a);
}

function limited(settings: VardiffSettings, difficulty: number): number {
  const { minDifficulty, maxDifficulty, powersOfTwo } = settings;
  if (!powersOfTwo) return bounded(settings, difficulty);
  const exponent = Math.round(Math.log2(Math.max(1, difficulty)));
  const [least, most] = [Math.ceil(Math.log2(minDifficulty)), Math.floor(Math.log2(maxDifficulty))];
  return 2 ** Math.max(least, Math.min(most, exponent));
}

function bounded({ minDifficulty, maxDifficulty }: VardiffSettings, difficulty: number): number {
  return Math.min(maxDifficulty, Math.max(minDifficulty, difficulty));
}
