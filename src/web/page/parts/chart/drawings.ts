/** What history draws. */
import type { History } from '../../reading/answers.js';
import { OUTCOME_WORDS } from '../../words/outcomes.js';
import { countsOf, HASHES_A_SECOND, MILLISECONDS, PERCENT_OF_EXPECTED } from '../../words/units.js';
import { type Drawing, type Ink, type Line, stepsOf } from './drawing.js';

/** Of `hashRate`. */
export function rateDrawing(whole: History): Drawing {
  const history = fromFirst(whole);
  const { values, others } = history;
  return {
    ...plainDrawing(history),
    lines: [{ name: 'Hash rate', ink: 'main', values, errors: others['standardError'] }],
    unit: HASHES_A_SECOND,
  };
}

/** Of `freshness`: how soon rigs had a job, at half of all times and at the slowest ones. */
export function delayDrawing(whole: History): Drawing {
  const history = fromFirst(whole);
  const { values, others } = history;
  return {
    ...plainDrawing(history),
    lines: [
      { name: 'median', ink: 'main', values },
      { name: '99th percentile', ink: 'soft', values: others['p99'] ?? [] },
    ],
    unit: MILLISECONDS,
  };
}

/** Of `shares`: what was accepted, and what was rejected for reasons that there were. */
export function outcomesDrawing(whole: History): Drawing {
  const history = fromFirst(whole);
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

/** Of `blocks`. */
export function blocksDrawing(whole: History): Drawing {
  const history = fromFirst(whole);
  const { values, others } = history;
  const { orphaned = [] } = others;
  const kept = values.map((value, i) => value && value - (orphaned[i] ?? 0));
  return {
    ...plainDrawing(history),
    lines: [
      { name: 'blocks', ink: 'good', values: kept },
      { name: 'orphaned', ink: 'fault', values: orphaned },
    ],
    unit: countsOf('blocks'),
    look: 'stack',
  };
}

/** Of `effort`. */
export function effortDrawing(whole: History): Drawing {
  const history = fromFirst(whole);
  const values = history.values.map((value) => value && 100 * value);
  return {
    ...plainDrawing(history),
    lines: [{ name: 'Effort', ink: 'main', values }],
    unit: PERCENT_OF_EXPECTED,
  };
}

/** Steps that are shown at least. */
const LEAST_STEPS = 2;

/** Without the time before the first value, in which there was nothing to be seen. */
function fromFirst(history: History): History {
  const { values, others, from, stepMs } = history;
  const first = values.findIndex((value) => value !== null);
  const dropped = first === -1 ? 0 : Math.max(0, Math.min(first, values.length - LEAST_STEPS));
  return {
    ...history,
    from: new Date(Date.parse(from) + dropped * stepMs).toISOString(),
    values: values.slice(dropped),
    others: Object.fromEntries(Object.entries(others).map(([name, column]) => [name, column.slice(dropped)])),
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
