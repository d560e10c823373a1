import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import type { Process } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';
import { count, milliseconds, withUnit } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

const EVERY_MS = 5_000;

/** How the load is shared out. Of a single process the head of the page says enough. */
export function ProcessTable() {
  const asked = useAsked<{ processes: readonly Process[] }>('processes', EVERY_MS, (ask, signal) =>
    ask.json('/api/v1/processes', signal),
  );
  const { processes = [] } = asked.value ?? {};
  if (processes.length < 2) return null;
  return (
    <Card id="processes" title="Processes" asked={asked}>
      <DataTable
        label="Table of processes"
        columns={COLUMNS}
        rows={processes}
        keyOf={({ number }) => number}
      />
    </Card>
  );
}

const COLUMNS: readonly Column<Process>[] = [
  { title: 'Process', show: ({ kind, number }) => (number === 0 ? kind : `${kind}\u00a0${number}`) },
  { title: 'State', show: ({ state }) => <span class={`state is-${state}`}>{state}</span> },
  { title: 'Sessions', look: 'number', show: ({ sessions }) => count(sessions) },
  { title: 'CPU time', look: 'number is-extra', show: ({ cpuSeconds }) => duration(1000 * cpuSeconds) },
  { title: 'Memory', look: 'number', show: ({ rssBytes }) => withUnit(rssBytes, 'B') },
  { title: 'Loop delay', look: 'number is-extra', show: ({ loopDelayMs }) => milliseconds(loopDelayMs) },
  { title: 'Shares to ship', look: 'number', show: ({ unshipped }) => count(unshipped) },
];
