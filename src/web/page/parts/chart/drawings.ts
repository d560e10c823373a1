/** What history draws. */
import type { History } from '../../reading/answers.js';
import { OUTCOME_WORDS } from '../../words/outcomes.js';
import { countsOf, HASHES_A_SECOND } from '../../words/units.js';
import { type Drawing, type Ink, type Line, stepsOf } from './drawing.js';

/** Of `hashRate`. */
export function rateDrawing(history: History): Drawing {
  const { values, others } = history;
  return {
    ...plainDrawing(history),
    lines: [{ name: 'Hash rate', ink: 'main', values, errors: others['standardError'] }],
    unit: HASHES_A_SECOND,
  };
}

/** Of `shares`: what was accepted, and what was rejected for reasons that there were. */
export function outcomesDrawing(history: History): Drawing {
  const { values, others } = history;
  const rejected = Object.entries(others)
    .filter(([, column]) => column.some((value) => (value ?? 0) > 0))
    .map(
      ([reason, column]): Line => ({
        name: OUTCOME_WORDS[reason] ?? reason,
        ink: REJECTED[reason] ?? 'fault',
        values: column,
      }),
    );
  return {
    ...plainDrawing(history),
    lines: [{ name: 'accepted', ink: 'good', values }, ...rejected],
    unit: countsOf('submits'),
    look: 'stack',
  };
}

/** Work for nothing, which nobody is to blame for, is told apart from faults. */
const REJECTED: Readonly<Record<string, Ink>> = { stale: 'warning', tryAgain: 'soft' };

function plainDrawing(history: History): Drawing {
  return {
    steps: stepsOf(history),
    lines: [],
    unit: countsOf(''),
    look: 'lines',
    markers: [],
    bands: [],
  };
}
