/**
 * Whether there is work that is worth a rig's time. Who mines on work that nothing will come of earns more at another pool, so
 * rigs are let go then, and let in again once it lives. Pure.
 */

/** Work as it was found at one look; times are of one clock that nobody sets. */
export interface WorkLook {
  readonly atMs: number;
  /** A node that may be worked for gives work on top of its own chains. It may be the same work for hours. */
  readonly isGiven: boolean;
  /** When the newest block of the best node was made; `undefined` where blocks may be far apart. */
  readonly newestBlockAtMs: number | undefined;
}

interface WorkLife {
  /** When work was given last; `undefined`: not since the start. */
  readonly givenAtMs: number | undefined;
  /** Since when each look has found it alive. */
  readonly aliveSinceMs: number | undefined;
  /** Why work is dead, as a sentence without its full stop; `undefined` while it is not. */
  readonly dead: string | undefined;
}

/** At the start nobody has given any, and the first that is given lives at once. */
export const AWAITED: WorkLife = {
  givenAtMs: undefined,
  aliveSinceMs: undefined,
  dead: 'no node has given work yet: if that stays so, see what is the matter with them',
};

export interface LifeRules {
  /** Work that nobody has given for so long is dead, and that on top of blocks so old: `stratum.release`. */
  readonly deadAfterMs: number;
  /** What has died lives again after so long without a fault: a node that comes for seconds moves no rig. */
  readonly aliveAgainMs: number;
}

export function lookedAt(
  before: WorkLife,
  look: WorkLook,
  { deadAfterMs, aliveAgainMs }: LifeRules,
): WorkLife {
  const { atMs, isGiven } = look;
  const givenAtMs = isGiven ? atMs : before.givenAtMs;
  if (givenAtMs === undefined) return before;
  const why = whyDead({ ...look, givenAtMs }, deadAfterMs);
  const aliveSinceMs = isGiven && why === undefined ? (before.aliveSinceMs ?? atMs) : undefined;
  const waitMs = before.givenAtMs === undefined ? 0 : aliveAgainMs;
  const livesAgain = aliveSinceMs !== undefined && atMs - aliveSinceMs >= waitMs;
  return { givenAtMs, aliveSinceMs, dead: livesAgain ? undefined : (why ?? before.dead) };
}

function whyDead(
  { atMs, newestBlockAtMs = atMs, givenAtMs }: WorkLook & { readonly givenAtMs: number },
  deadAfterMs: number,
): string | undefined {
  const [silentMs, ageMs] = [atMs - givenAtMs, atMs - newestBlockAtMs];
  if (silentMs >= deadAfterMs)
    return `no node has given work on top of its own chains for ${seconds(silentMs)}: see what is the matter with them`;
  if (ageMs >= deadAfterMs)
    return `the newest block that nodes have is ${seconds(ageMs)} old: they catch up, or have lost the network`;
  return undefined;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
