/**
 * Vardiff: which share difficulty makes a rig of unknown speed send shares at a set pace.
 *
 * A pure function of (state, event, now). Shares are a Poisson process whose rate is the hash rate over the difficulty in
 * force, so what is counted is shares and exposure, the sum of seconds over difficulty: their quotient is the best
 * estimate of the hash rate whatever the difficulty was meanwhile, and its relative error is one over the root of the
 * shares. A change of difficulty spoils nothing that was learned, and there is no loop that could oscillate.
 *
 * - The estimate fades so that some 400 shares count (standard error 5 %); the difficulty follows it.
 * - Tests (CUSUM; Page, Continuous inspection schemes, 1954) watch for a rig that has become another: twice, half, eight
 *   times or an eighth as fast. Each begins anew when its evidence speaks against it, so it begins where the change was,
 *   and what a test has seen when it is sure replaces the estimate.
 * - A rig that turns out faster is probed first: a difficulty that lets it send some shares a second until enough of
 *   them came, so that the step to the set pace is right at once. After it shares are too few to correct much.
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
  readonly tests: readonly Test[];
  /** The rig is faster than it was held for; how much is being found out. */
  readonly probing: boolean;
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

/** Whether the rig has become `factor` times as fast as it is held for. */
interface Test {
  readonly factor: number;
  /** How much likelier that makes what came than chance does, as a natural logarithm; never below 0. */
  readonly score: number;
  /** What came since the score was 0. */
  readonly evidence: Evidence;
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
const REMEMBERED_SHARES = 400;
/** Eight beside two: for ten times, a test of two is slow, and its evidence begins before the change. */
const NEW_TESTS: readonly Test[] = [8, 2, 1 / 2, 1 / 8].map((factor) => ({
  factor,
  score: 0,
  evidence: NOTHING,
}));
/** The score that proves a change. Chance reaches it once in some 100,000 shares. */
const SURE = Math.log(400_000);
/** Of a rig that never sent a share: five expected ones that did not come, to the test of an eighth. */
const SURE_OF_SILENCE = (5 * 7) / 8;
/** An estimate from fewer shares is not followed. */
const LEAST_SHARES = 20;
/** Least relative change, so that noise does not send targets around. */
const HYSTERESIS = 0.1;
/** Of powers of two: three quarters of the way to the next one; between two, the nearest would flip. */
const POWER_HYSTERESIS = 0.75;
/** While a rig is probed. */
const PROBING_SECONDS_PER_SHARE = 0.25;
/** A speed that is known from so many shares is off by a factor of two once in ten million times. */
const PROBED_SHARES = 64;
/** Probing is over by then also with fewer: some thirty shares of a rig that became ten times as fast. */
const PROBING_SECONDS = 30;
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
    tests: NEW_TESTS,
    probing: false,
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
  const news = newsOf(event, seconds);
  const estimate = faded(sumOf(state.estimate, news));
  const tests = state.tests.map((test) => continued(test, news, state.hashesPerSecond));
  const next = { ...current, estimate, tests };
  const sure = next.silent ? SURE_OF_SILENCE : SURE;
  const proof = tests.find(({ score }) => score > sure);
  if (proof) return changed(settings, next, proof);
  return next.probing ? probed(settings, next) : followed(settings, next);
}

/** Shares of a job from before a large step are late: the time in which they were made was counted then. */
function newsOf({ kind, inForce, difficulty = inForce }: VardiffEvent, seconds: number): Evidence {
  const counts = kind === 'share' && isNear(difficulty, inForce);
  return { shares: counts ? 1 : 0, exposure: seconds / inForce, seconds };
}

function sumOf(a: Evidence, b: Evidence): Evidence {
  return { shares: a.shares + b.shares, exposure: a.exposure + b.exposure, seconds: a.seconds + b.seconds };
}

/** Its score grows by the logarithm of the ratio of two likelihoods, of Poisson processes at the two speeds. */
function continued({ factor, score, evidence }: Test, news: Evidence, hashesPerSecond: number): Test {
  const gain = news.shares * Math.log(factor) - (factor - 1) * hashesPerSecond * news.exposure;
  return score + gain > 0
    ? { factor, score: score + gain, evidence: sumOf(evidence, news) }
    : { factor, score: 0, evidence: NOTHING };
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

/** The rig has become what the evidence says. */
function changed(settings: VardiffSettings, state: VardiffState, { factor, evidence }: Test): VardiffState {
  const isFaster = factor > 1;
  // A share that proved it came early for its time; where the clock proved it, a part of the next one is under way.
  const estimate = { ...evidence, shares: evidence.shares + (isFaster ? -1 : 0.7) };
  const probing = state.probing || isFaster;
  const next = { ...state, hashesPerSecond: speedOf(estimate), estimate, tests: NEW_TESTS, probing };
  return probing ? probed(settings, next) : stepped(settings, next, settings.secondsPerShare);
}

/** In hashes a second. */
function speedOf({ shares, exposure, seconds }: Evidence): number {
  return (shares / exposure) * Math.min(1, seconds / LEAST_SECONDS);
}

/** Up to where it sends some shares a second, and once these are enough, to the set pace. */
function probed(settings: VardiffSettings, state: VardiffState): VardiffState {
  const { estimate, difficulty } = state;
  if (estimate.shares >= PROBED_SHARES || estimate.seconds >= PROBING_SECONDS)
    return stepped(settings, { ...state, probing: false }, settings.secondsPerShare);
  const pace = Math.min(PROBING_SECONDS_PER_SHARE, settings.secondsPerShare);
  const wanted = limited(settings, speedOf(estimate) * pace);
  return wanted >= LARGE_STEP * difficulty ? stepped(settings, state, pace) : state;
}

/** Goes on from the estimate once that is surer than what the rig is held for. */
function followed(settings: VardiffSettings, state: VardiffState): VardiffState {
  const { estimate, hashesPerSecond } = state;
  if (estimate.shares < LEAST_SHARES) return state;
  const change = Math.log(ratio(speedOf(estimate), hashesPerSecond));
  const leastChange = Math.max(HYSTERESIS, 1 / Math.sqrt(estimate.shares));
  return change > leastChange ? stepped(settings, state, settings.secondsPerShare) : state;
}

/** To what the estimate says, at so many seconds a share. */
function stepped(settings: VardiffSettings, state: VardiffState, secondsPerShare: number): VardiffState {
  const hashesPerSecond = speedOf(state.estimate);
  const difficulty = limited(settings, hashesPerSecond * secondsPerShare, state.difficulty);
  const next = { ...state, difficulty, hashesPerSecond };
  return isNear(difficulty, state.difficulty) ? next : { ...next, stepsUntilMs: state.nowMs + STEP_MS };
}

function isNear(a: number, b: number): boolean {
  return ratio(a, b) < LARGE_STEP;
}

/** At least 1. */
function ratio(a: number, b: number): number {
  return Math.max(a / b, b / a);
}

/** @param current stays, of powers of two, unless the exact one is far from it, or it is outside of the limits. */
function limited(
  { minDifficulty, maxDifficulty, powersOfTwo }: VardiffSettings,
  exact: number,
  current = 0,
): number {
  const within = Math.min(maxDifficulty, Math.max(minDifficulty, exact));
  if (!powersOfTwo) return within;
  const isWithin = minDifficulty <= current && current <= maxDifficulty;
  if (isWithin && Math.log2(ratio(exact, current)) < POWER_HYSTERESIS) return current;
  const [least, most] = [Math.ceil(Math.log2(minDifficulty)), Math.floor(Math.log2(maxDifficulty))];
  return 2 ** Math.max(least, Math.min(most, Math.round(Math.log2(exact))));
}
