/**
 * Which share target a session gets once it is known who the rig is and what it mines with: what an operator has ordered for
 * it, one of its own choice, or vardiff's with a start and a floor of its own.
 */
import type { VardiffSettings } from '../../core/shares/vardiff.js';
import type { Difficulty } from '../../core/work/target.js';
import type { Login } from '../admission/accounts.js';
import type { AgentQuirks } from '../agents.js';
import type { PortRules } from '../rig-rules.js';
import type { SessionParts } from '../session/session-parts.js';
import { ShareTarget } from './share-target.js';

export interface TargetParts extends Pick<SessionParts, 'clock' | 'rigBook'> {
  readonly ordered: Pick<SessionParts['ordered'], 'of'>;
  readonly rules: Pick<PortRules, 'difficulty' | 'agents'>;
}

/** What is known of the rig. */
export interface Known {
  /** Under the first name that it authorized. */
  readonly login: Login;
  readonly addressKey: string;
  readonly quirks: Pick<AgentQuirks, 'floor' | 'powersOfTwo'>;
  /** Expected hashes a share, as its login or password asks for. */
  readonly chosen: number | undefined;
  /** The same, as it would like them for a start. */
  readonly suggested: number | undefined;
  /** What vardiff had found for it, where it came back. */
  readonly remembered: number | undefined;
  /** It has had no job yet. */
  readonly isFresh: boolean;
  /** `former` was made under the rules in force. */
  readonly isSettled: boolean;
  readonly former: ShareTarget;
  /** As the shares of this session show it; 0 before the first. */
  readonly hashesPerSecond: number;
}

/**
 * An operator's order comes first, then a difficulty of the rig's choice, whenever it says so; the rest counts only before its
 * first job, and under rules that are new to it. `undefined`: it keeps the one that it has.
 */
export function targetFor(known: Known, parts: TargetParts): ShareTarget | undefined {
  const { login, former, isFresh, isSettled, chosen = former.chosen } = known;
  const settings = settingsFor(known.quirks, parts);
  const order = parts.ordered.of(login);
  if (order) {
    const ordered = BigInt(order.difficulty) as Difficulty;
    if (former.orderedDifficulty === ordered) return undefined;
    return ShareTarget.ordered(ordered, settings, parts.clock.nowMs());
  }
  if (chosen !== undefined) return chosenTarget(chosen, known, settings, parts);
  if (former.orderedDifficulty !== undefined)
    return releasedTarget(former.orderedDifficulty, known, settings, parts);
  if (isFresh) return firstTarget(known, settings, parts);
  return isSettled
    ? undefined
    : former.under(parts.rules.difficulty.shareDifficulty, settings, parts.clock.nowMs());
}

/** Vardiff goes on from the speed that the rig shows; without one, from where it was held. */
function releasedTarget(
  ordered: Difficulty,
  { hashesPerSecond }: Known,
  settings: VardiffSettings,
  { rules, clock }: TargetParts,
): ShareTarget {
  const isKnown = hashesPerSecond > 0;
  const difficulty = isKnown ? hashesPerSecond * settings.secondsPerShare : Number(ordered);
  const start = { difficulty, isKnown };
  return new ShareTarget(rules.difficulty.shareDifficulty, settings, clock.nowMs(), start);
}

function firstTarget(
  { login, addressKey, suggested, remembered }: Known,
  settings: VardiffSettings,
  { rules, rigBook, clock }: TargetParts,
): ShareTarget {
  const difficulty = suggested ?? remembered ?? rigBook.difficultyOf(login, addressKey);
  const start = difficulty === undefined ? undefined : { difficulty, isKnown: suggested === undefined };
  return new ShareTarget(rules.difficulty.shareDifficulty, settings, clock.nowMs(), start);
}

/** Held at what the rig chose, and above it while its shares come faster than the limit. */
function chosenTarget(
  chosen: number,
  { former, hashesPerSecond, isSettled, quirks }: Known,
  settings: VardiffSettings,
  { rules, clock }: TargetParts,
): ShareTarget | undefined {
  const within = Math.min(settings.maxDifficulty, Math.max(settings.minDifficulty, chosen));
  // What a rig asks for holds as it is, but where it would not take that.
  const { powersOfTwo = false } = quirks;
  const [above, most] = [Math.ceil(Math.log2(within)), Math.floor(Math.log2(settings.maxDifficulty))];
  const least = powersOfTwo ? 2 ** Math.min(above, most) : Math.round(within);
  if (isSettled && former.chosen === least) return undefined;
  const { sharesPerSecond } = rules.difficulty;
  const steering = {
    ...settings,
    minDifficulty: least,
    secondsPerShare: 1 / sharesPerSecond,
    powersOfTwo,
  };
  // Who chooses again and again is no slower for it.
  const fastest = Math.max(former.hashesPerSecond, hashesPerSecond);
  const difficulty = Math.max(least, fastest / sharesPerSecond);
  return new ShareTarget('vardiff', steering, clock.nowMs(), { difficulty, isKnown: false }, least);
}

function settingsFor({ floor = 0, powersOfTwo }: Known['quirks'], { rules }: TargetParts): VardiffSettings {
  const { vardiff } = rules.difficulty;
  return {
    ...vardiff,
    minDifficulty: Math.max(floor, vardiff.minDifficulty),
    powersOfTwo: powersOfTwo ?? vardiff.powersOfTwo,
  };
}
