/**
 * Vardiff: which share difficulty makes a rig of unknown speed send shares at a set pace.
 *
 * A pure function of (state, event, now). It estimates the rig's hash rate from the work of its accepted shares, so a
 * change of difficulty spoils nothing that was learned, and there is no loop that could oscillate. Two measures run:
 *
 * - the estimate: work and time, old ones fading so that some 200 shares count (standard error about 7 %);
 * - the check: shares and time since the check began, against what the difficulty in force promises. When chance no
 *   longer explains the difference, the rig is not what the estimate says, and the check's own rate replaces it.
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
  maxDifficulty: 2 ** 60,
  powersOfTwo: false,
};

export interface VardiffState {
  /** What the rig should get. */
  readonly difficulty: number;
  readonly estimate: Sample;
  readonly check: Sample;
  readonly nowMs: number;
}

interface Sample {
  readonly shares: number;
  /** Expected hashes of those shares. */
  readonly work: number;
  readonly seconds: number;
}

/** `difficulty` is that of the share as issued, or for a tick that of the newest job. */
export interface VardiffEvent {
  readonly kind: 'share' | 'tick';
  readonly difficulty: number;
}

const NOTHING: Sample = { shares: 0, work: 0, seconds: 0 };
/** Shares that the estimate remembers: its standard error is about one over the root of this. */
const REMEMBERED_SHARES = 200;
/** A check that holds this many expected shares begins anew. */
const CHECK_SHARES = 64;
/** Silence for this many expected shares lowers the difficulty of a rig that never sent one. */
const SILENT_START_SHARES = 3;
/** Least relative change, so that noise does not send targets around. */
const HYSTERESIS = 0.1;

/** @param difficulty where a returning rig was; otherwise it starts where the settings say. */
export function startVardiff(settings: VardiffSettings, nowMs: number, difficulty?: number): VardiffState {
  const start = limited(settings, difficulty ?? settings.startDifficulty);
  return { difficulty: start, estimate: NOTHING, check: NOTHING, nowMs };
}

export function stepVardiff(
  settings: VardiffSettings,
  state: VardiffState,
  event: VardiffEvent,
  nowMs: number,
): VardiffState {
  const seconds = Math.max(0, nowMs - state.nowMs) / 1000;
  const estimate = faded(grown(state.estimate, event, seconds));
  const check = grown(state.check, event, seconds);
  const next = { ...state, estimate, check, nowMs: Math.max(nowMs, state.nowMs) };
  return reviewed(settings, next, event);
}

function grown(sample: Sample, event: VardiffEvent, seconds: number): Sample {
  const share = event.kind === 'share';
  return {
    shares: sample.shares + (share ? 1 : 0),
    work: sample.work + (share ? event.difficulty : 0),
    seconds: sample.seconds + seconds,
  };
}

function faded(sample: Sample): Sample {
  if (sample.shares <= REMEMBERED_SHARES) return sample;
  const part = REMEMBERED_SHARES / sample.shares;
  return { shares: REMEMBERED_SHARES, work: sample.work * part, seconds: sample.seconds * part };
}

function reviewed(settings: VardiffSettings, state: VardiffState, event: VardiffEvent): VardiffState {
  const { check, estimate } = state;
  const shareDifficulty = check.shares > 0 ? check.work / check.shares : event.difficulty;
  const promised = (state.difficulty / settings.secondsPerShare) * check.seconds;
  const expected = promised / shareDifficulty;
  if (isImplausible(check.shares, expected, estimate.shares === 0)) {
    const learned = { ...check, shares: Math.max(0.7, check.shares - 1) };
    const restarted = { ...state, estimate: rescaled(learned, shareDifficulty), check: NOTHING };
    return { ...restarted, difficulty: limited(settings, aimed(settings, restarted.estimate)) };
  }
  const renewed = Math.max(check.shares, expected) > CHECK_SHARES ? { ...state, check: NOTHING } : state;
  return adjusted(settings, renewed);
}

/** Roughly one chance in 10,000 for a rig of the speed that is thought. */
function isImplausible(shares: number, expected: number, nothingKnown: boolean): boolean {
  if (shares > expected) return shares - expected > 4 * Math.sqrt(expected) + 4;
  if (shares === 0 && nothingKnown) return expected > SILENT_START_SHARES;
  return expected - shares > 3 * Math.sqrt(expected);
}

/** The sample's time with the work of its (corrected) number of shares. */
function rescaled(sample: Sample, shareDifficulty: number): Sample {
  return { ...sample, work: sample.shares * shareDifficulty };
}

function aimed(settings: VardiffSettings, sample: Sample): number {
  return (sample.work / Math.max(sample.seconds, 1e-3)) * settings.secondsPerShare;
}

/** Follows the estimate once it is surer than the difficulty in force. */
function adjusted(settings: VardiffSettings, state: VardiffState): VardiffState {
  const { shares } = state.estimate;
  if (shares < 4) return state;
  const wanted = limited(settings, aimed(settings, state.estimate));
  const change = Math.abs(Math.log(wanted / state.difficulty));
  const leastChange = settings.powersOfTwo ? Math.LN2 / 2 : Math.max(HYSTERESIS, 1 / Math.sqrt(shares));
  return change > leastChange ? { ...state, difficulty: wanted } : state;
}

function limited(settings: VardiffSettings, difficulty: number): number {
  const shaped = settings.powersOfTwo ? 2 ** Math.round(Math.log2(Math.max(1, difficulty))) : difficulty;
  return Math.min(settings.maxDifficulty, Math.max(settings.minDifficulty, shaped));
}
