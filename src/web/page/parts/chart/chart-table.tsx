/** All numbers of a chart, for who reads them or cannot see it. Made when somebody opens it. */
import { useState } from 'preact/hooks';
import { moment } from '../../words/times.js';
import { sayWithError } from '../../words/units.js';
import { Scrolls } from '../scrolls.js';
import { happenedIn } from './chart-words.js';
import { type Drawing, stepCount } from './drawing.js';

export function ChartTable({ title, drawing }: { title: string; drawing: Drawing }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <Scrolls label={`Table of ${title.toLowerCase()} over time`}>
          <Table drawing={drawing} />
        </Scrolls>
      )}
    </details>
  );
}

function Table({ drawing }: { drawing: Drawing }) {
  const { lines, steps } = drawing;
  const isMarked = drawing.markers.length + drawing.bands.length > 0;
  // The latest first: that is what somebody looks for.
  const indexes = Array.from({ length: stepCount(drawing) }, (_, i) => i).reverse();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">From</th>
          {lines.map(({ name }) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
          {isMarked && <th scope="col">Happened</th>}
        </tr>
      </thead>
      <tbody>
        {indexes.map((index) => (
          <tr key={index}>
            <th scope="row">{moment(steps.fromMs + index * steps.stepMs, steps.stepMs)}</th>
            <Cells drawing={drawing} index={index} />
            {isMarked && <td>{happenedIn(drawing, index).join(', ')}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cells({ drawing: { lines, unit }, index }: { drawing: Drawing; index: number }) {
  return (
    <>
      {lines.map(({ name, values, errors }) => {
        const value = values[index];
        return (
          <td key={name} class="number">
            {value === null || value === undefined ? (
              <span class="none">no data</span>
            ) : (
              sayWithError(unit, value, errors?.[index])
            )}
          </td>
        );
      })}
    </>
  );
}
