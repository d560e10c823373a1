/** All numbers of a chart, for who reads them or cannot see it. Made when somebody opens it. */
import { useState } from 'preact/hooks';
import { moment } from '../../words/times.js';
import { sayWithError } from '../../words/units.js';
import { type Column, DataTable } from '../data-table.js';
import { happenedIn } from './chart-words.js';
import { type Drawing, stepCount } from './drawing.js';

export function ChartTable({ title, drawing }: { title: string; drawing: Drawing }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <DataTable
          label={`Table of ${title.toLowerCase()} over time`}
          columns={columnsOf(drawing)}
          // The latest first: that is what somebody looks for.
          rows={Array.from({ length: stepCount(drawing) }, (_, i) => i).reverse()}
          keyOf={(index) => index}
        />
      )}
    </details>
  );
}

/** A row is a step. */
function columnsOf(drawing: Drawing): readonly Column<number>[] {
  const { lines, steps, unit, markers, bands, ribbon = [] } = drawing;
  const values = lines.map(({ name, values, errors }) => ({
    title: name,
    look: 'number' as const,
    show: (index: number) => {
      const value = values[index] ?? null;
      return value === null ? <span class="none">no data</span> : sayWithError(unit, value, errors?.[index]);
    },
  }));
  const happened: Column<number> = {
    title: 'Happened',
    show: (index) => happenedIn(drawing, index).join(', '),
  };
  return [
    { title: 'From', show: (index) => moment(steps.fromMs + index * steps.stepMs, steps.stepMs) },
    ...values,
    ...(markers.length + bands.length + ribbon.length > 0 ? [happened] : []),
  ];
}
