/** Which share target a session gets by an authorize: a fixed one, or vardiff's with a start and a floor of its own. */
import type { VardiffSettings } from '../core/vardiff.js';
import type { Credentials } from './accounts.js';
import type { SessionParts } from './session-parts.js';
import { ShareTarget } from './share-target.js';

type Parts = Pick<SessionParts, 'agentFloors' | 'clock' | 'rigBook' | 'shareDifficulty' | 'vardiff'>;

/** What is known of the rig besides its credentials. */
export interface Known {
  readonly agent: string;
  /** Expected hashes a share, as the rig would like them. */
  readonly suggested: number | undefined;
  /** It has had no job yet. */
  readonly isFresh: boolean;
}

/** A fixed difficulty counts with each authorize; where a returning rig was, only before its first job. */
export function targetBy(credentials: Credentials, known: Known, parts: Parts): ShareTarget | undefined {
  const { shareDifficulty, rigBook, clock } = parts;
  const settings = settingsFor(known.agent, parts);
  const { fixedDifficulty } = credentials;
  if (fixedDifficulty !== undefined) {
    const { minDifficulty, maxDifficulty } = settings;
    const fixed = Math.min(maxDifficulty, Math.max(minDifficulty, fixedDifficulty));
    return new ShareTarget(BigInt(Math.round(fixed)), settings, clock.nowMs());
  }
  if (!known.isFresh) return undefined;
  const start = known.suggested ?? rigBook.difficultyOf(credentials);
  return new ShareTarget(shareDifficulty, settings, clock.nowMs(), start);
}

function settingsFor(agent: string, { vardiff, agentFloors }: Parts): VardiffSettings {
  const [, floor = 0] = Object.entries(agentFloors).find(([start]) => agent.startsWith(start)) ?? [];
  return floor > vardiff.minDifficulty ? { ...vardiff, minDifficulty: floor } : vardiff;
}
