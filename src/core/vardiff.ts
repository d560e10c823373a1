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
  maxDifficulty: 1e18,
  powersOfTwo: false,
};

export interface VardiffState {
  /** What the rig should get. */
  readonly difficulty: number;
  readonly estimate: Sample;
  readonly check: Sample;
  /** No share has come since the start. */
  readonly silent: boolean;
  readonly nowMs: number;
}

interface Sample {
  /** Expected hashes of the shares that came. */
  readonly work: number;
  /** Their difficulties squared. */
  readonly squares: number;
  /** What the squares should be by now, if the rig is what it is held for: silence is evidence too. */
  readonly promisedSquares: number;
  readonly seconds: number;
}

/** `difficulty` is that of the share as issued, or for a tick that of the newest job. */
export interface VardiffEvent {
  readonly kind: 'share' | 'tick';
  readonly difficulty: number;
}

const NOTHING: Sample = { work: 0, squares: 0, promisedSquares: 0, seconds: 0 };
/** Shares that the estimate remembers: its standard error is about one over the root of this. */
const REMEMBERED_SHARES = 200;
/** A check that holds this many expected shares begins anew. */
const CHECK_SHARES = 32;
/** Silence for this many expected shares lowers the difficulty of a rig that never sent one. */
const SILENT_START_SHARES = 3;
/** An estimate from fewer shares is not followed. */
const LEAST_WEIGHT = 16;
/** Least relative change, so that noise does not send targets around. */
const HYSTERESIS = 0.1;

/** @param difficulty where a returning rig was; otherwise it starts where the settings say. */
export function startVardiff(settings: VardiffSettings, nowMs: number, difficulty?: number): VardiffState {
  const start = limited(settings, difficulty ?? settings.startDifficulty);
  return { difficulty: start, estimate: NOTHING, check: NOTHING, silent: true, nowMs };
}

export function stepVardiff(
  settings: VardiffSettings,
  state: VardiffState,
  event: VardiffEvent,
  nowMs: number,
): VardiffState {
  const seconds = Math.max(0, nowMs - state.nowMs) / 1000;
  const speed = state.difficulty / settings.secondsPerShare;
  const estimate = faded(grown(state.estimate, event, seconds, speed));
  const check = grown(state.check, event, seconds, speed);
  const silent = state.silent && event.kind === 'tick';
  return reviewed(
    settings,
    { ...state, estimate, check, silent, nowMs: Math.max(nowMs, state.nowMs) },
    event,
  );
}

function grown(sample: Sample, event: VardiffEvent, seconds: number, speed: number): Sample {
  const difficulty = event.kind === 'share' ? event.difficulty : 0;
  return {
    work: sample.work + difficulty,
    squares: sample.squares + difficulty * difficulty,
    promisedSquares: sample.promisedSquares + speed * seconds * event.difficulty,
    seconds: sample.seconds + seconds,
  };
}

/** Shares that count, so that many light ones do not outvote the heavy ones that came, or should have come, since. */
function weightOf({ work, squares, promisedSquares }: Sample): number {
  return work > 0 ? (work * work) / Math.max(squares, promisedSquares) : 0;
}

function faded(sample: Sample): Sample {
  const weight = weightOf(sample);
  return weight > REMEMBERED_SHARES ? scaled(sample, REMEMBERED_SHARES / weight) : sample;
}

/** As if only this part of it had been seen. */
function scaled(sample: Sample, part: number): Sample {
  return {
    work: sample.work * part,
    squares: sample.squares * part,
    promisedSquares: sample.promisedSquares * part,
    seconds: sample.seconds * part,
  };
}

function reviewed(settings: VardiffSettings, state: VardiffState, event: VardiffEvent): VardiffState {
  const { check } = state;
  const promised = (state.difficulty / settings.secondsPerShare) * check.seconds;
  if (isImplausible(check, promised, event.difficulty, state.silent)) {
    const estimate = learned(check, event);
    return { ...state, estimate, check: NOTHING, difficulty: limited(settings, aimed(settings, estimate)) };
  }
  const isOver = promised > CHECK_SHARES * event.difficulty;
  return adjusted(settings, isOver ? { ...state, check: NOTHING } : state);
}

/** Chance explains this less than once in some 100,000 looks, as checks look all the time. */
function isImplausible(check: Sample, promised: number, difficulty: number, silent: boolean): boolean {
  const deviation = Math.sqrt(check.promisedSquares);
  if (check.work > promised) return check.work - promised > 4 * deviation + 16 * difficulty;
  if (silent) return promised > SILENT_START_SHARES * difficulty;
  return promised - check.work > 4 * deviation;
}

/** A check that a share ended has one too many for its time; one that the clock ended, a part of one too few. */
function learned(check: Sample, { kind, difficulty }: VardiffEvent): Sample {
  const work = kind === 'share' ? check.work - difficulty : check.work + 0.7 * difficulty;
  const squares = work * difficulty;
  return { work, squares, promisedSquares: squares, seconds: check.seconds };
}

function aimed(settings: VardiffSettings, sample: Sample): number {
  return (sample.work / Math.max(sample.seconds, 1e-3)) * settings.secondsPerShare;
}

/** Follows the estimate once it is surer than the difficulty in force. */
function adjusted(settings: VardiffSettings, state: VardiffState): VardiffState {
  const weight = weightOf(state.estimate);
  if (weight < LEAST_WEIGHT) return state;
  const wanted = limited(settings, aimed(settings, state.estimate));
  const change = Math.abs(Math.log(wanted / state.difficulty));
  const leastChange = settings.powersOfTwo ? Math.LN2 / 2 : Math.max(HYSTERESIS, 1 / Math.sqrt(weight));
  return change > leastChange ? { ...state, difficulty: wanted } : state;
}

function limited(settings: VardiffSettings, difficulty: number): number {
  const shaped = settings.powersOfTwo ? 2 ** Math.round(Math.log2(Math.max(1, difficulty))) : difficulty;
  return Math.min(settings.maxDifficulty, Math.max(settings.minDifficulty, shaped));
}
