/**
 * Which share target a session gets once it is known who the rig is and what it mines with: one of its own choice, or
 * vardiff's with a start and a floor of its own.
 */
import type { VardiffSettings } from '../core/vardiff.js';
import type { Login } from './accounts.js';
import type { SessionParts } from './session-parts.js';
import { ShareTarget } from './share-target.js';

export type TargetParts = Pick<
  SessionParts,
  'agentFloors' | 'clock' | 'limits' | 'rigBook' | 'shareDifficulty' | 'vardiff'
>;

/** What is known of the rig. */
export interface Known {
  /** Under the first name that it authorized. */
  readonly login: Login;
  readonly addressKey: string;
  readonly agent: string;
  /** Expected hashes a share, as its login or password asks for. */
  readonly chosen: number | undefined;
  /** The same, as it would like them for a start. */
  readonly suggested: number | undefined;
  /** It has had no job yet. */
  readonly isFresh: boolean;
  readonly former: ShareTarget;
  /** As the shares of this session show it; 0 before the first. */
  readonly hashesPerSecond: number;
}

/** A difficulty of the rig's choice counts whenever it says so; the rest only before its first job. */
export function targetFor(known: Known, parts: TargetParts): ShareTarget | undefined {
  const { shareDifficulty, rigBook, clock } = parts;
  const settings = settingsFor(known.agent, parts);
  if (known.chosen !== undefined) return chosenTarget(known.chosen, known, settings, parts);
  if (!known.isFresh) return undefined;
  const remembered = rigBook.difficultyOf(known.login, known.addressKey);
  const difficulty = known.suggested ?? remembered;
  const start = difficulty === undefined ? undefined : { difficulty, isKnown: known.suggested === undefined };
  return new ShareTarget(shareDifficulty, settings, clock.nowMs(), start);
}

/** Held at what the rig chose, and above it while its shares come faster than the limit. */
function chosenTarget(
  chosen: number,
  { former, hashesPerSecond }: Known,
  settings: VardiffSettings,
  { limits, clock }: TargetParts,
): ShareTarget | undefined {
  const least = Math.round(Math.min(settings.maxDifficulty, Math.max(settings.minDifficulty, chosen)));
  if (former.chosen === least) return undefined;
  const { sharesPerSecond } = limits;
  const steering = {
    ...settings,
    minDifficulty: least,
    secondsPerShare: 1 / sharesPerSecond,
    powersOfTwo: false,
  };
  // Who chooses again and again is no slower for it.
  const fastest = Math.max(former.hashesPerSecond, hashesPerSecond);
  const difficulty = Math.max(least, fastest / sharesPerSecond);
  return new ShareTarget('vardiff', steering, clock.nowMs(), { difficulty, isKnown: false }, least);
}

function settingsFor(agent: string, { vardiff, agentFloors }: TargetParts): VardiffSettings {
  const [, floor = 0] = Object.entries(agentFloors).find(([start]) => agent.startsWith(start)) ?? [];
  return floor > vardiff.minDifficulty ? { ...vardiff, minDifficulty: floor } : vardiff;
}
