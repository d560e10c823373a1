/** Makes a script shorter, so long as it still does harm. */
import type { Script, Step } from './scripts.js';

const MAX_TRIES = 300;

export async function shortened(
  script: Script,
  isHarmful: (script: Script) => Promise<boolean>,
): Promise<Script> {
  const tries = { left: MAX_TRIES };
  const isStill = async (steps: readonly Step[]): Promise<boolean> =>
    tries.left-- > 0 && (await isHarmful({ ...script, steps }));
  let steps = await fewest(script.steps, isStill);
  for (const [i, step] of steps.entries()) {
    if (step.kind !== 'lines') continue;
    const withLines = (lines: readonly string[]): Step[] => steps.with(i, { ...step, lines });
    const lines = await fewest(step.lines, (some) => isStill(withLines(some)));
    steps = withLines(lines);
    const uncut = steps.with(i, { ...step, lines, cuts: [] });
    if (await isStill(uncut)) steps = uncut;
  }
  return { ...script, steps };
}

/** Leaves out halves, quarters and so on, for as long as what is left will do. */
export async function fewest<T>(
  all: readonly T[],
  isEnough: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = all;
  for (let size = Math.ceil(all.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const without = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await isEnough(without)) kept = without;
      else from += size;
    }
  }
  return kept;
}
