/** Blocks and the work for them, as people read them. */
import type { Block, Blocks, History } from '../reading/answers.js';
import { percent } from './numbers.js';

/** What became of one. `found` and `refused` are no blocks. */
export const BLOCK_STATES: Readonly<Record<Block['state'], string>> = {
  found: 'on its way',
  refused: 'refused',
  pending: 'pending',
  confirmed: 'confirmed',
  orphaned: 'orphaned',
  unclaimed: 'unclaimed',
  disowned: 'disowned',
};

/** `143 %` of the expected work: the whole may be passed. @param effort 1.43 for that. */
export function effortWords(effort: number): string {
  return effort < 1 ? percent(effort, 1) : `${Math.round(100 * effort)}\u00a0%`;
}

/** How many blocks of its chain stand on it. */
export function onTop({ depth }: Block): number {
  return Math.max(0, depth - 1);
}

export const EFFORT_HINT =
  'Effort is the work since the last block, in parts of what a block takes on average. It tells nothing of when the next one comes. Luck is how many of the last blocks there were for each that the work was expected to find.';

/** `luck 97 %`. */
export function luckWords({ luck }: NonNullable<Blocks['luck']>): string {
  return `luck ${Math.round(100 * luck)}\u00a0%`;
}

export function blockWords({ chainId, height, state }: Block): string {
  return `block ${height} of chain ${chainId}, ${BLOCK_STATES[state]}`;
}

/**
 * How long a block takes on average, in milliseconds.
 *
 * @param rates of the pool, the latest last. By the last hour of them: what was hours ago tells nothing of now.
 * @returns `undefined` while nothing is mined.
 */
export function expectedMs(
  { blockDifficulty }: Blocks['sinceLast'],
  rates: History | undefined,
): number | undefined {
  const inHour = Math.max(1, Math.round(HOUR_MS / (rates?.stepMs ?? HOUR_MS)));
  const last = (rates?.values ?? []).slice(-inHour).filter((value) => value !== null);
  const mean = last.reduce((sum, value) => sum + value, 0) / last.length;
  return blockDifficulty === null || !(mean > 0) ? undefined : (1000 * blockDifficulty) / mean;
}

const HOUR_MS = 3_600_000;

/** The books are behind by as much: where a block takes less, effort since the last one tells nothing. */
const BEHIND_MS = 60_000;

/** Effort since the last block; `null` where it is not known well enough. @param takesMs what {@link expectedMs} tells. */
export function openEffort({ effort }: Blocks['sinceLast'], takesMs: number | undefined): number | null {
  return takesMs !== undefined && takesMs > BEHIND_MS ? effort : null;
}
