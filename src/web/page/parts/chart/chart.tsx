/** A chart with what it says in words above it, and all its numbers in a table behind it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Asked } from '../../use/reading.js';
import { axisUnit } from '../../words/units.js';
import { Waiting } from '../waiting.js';
import { ChartTable } from './chart-table.js';
import { chartWords, stepWords } from './chart-words.js';
import { type Drawing, greatestOf, isEmpty, stepCount } from './drawing.js';
import type { Plot } from './plot.js';

interface ChartProps {
  readonly title: string;
  /** What is drawn comes of it; while it is old, of the question before. */
  readonly asked: Asked<unknown>;
  /** `undefined` until there is an answer. */
  readonly drawing: Drawing | undefined;
  /** What is said where there is nothing to draw yet. */
  readonly none: ComponentChildren;
  /** Beside the title. */
  readonly children?: ComponentChildren;
}

export function Chart({ title, asked, drawing, none, children }: ChartProps) {
  const id = useId();
  return (
    <section class="card chart" aria-labelledby={id} aria-busy={asked.isOld}>
      <div class="chart-head">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      <Waiting {...asked} />
      {drawing && (isEmpty(drawing) ? none : <Drawn title={title} drawing={drawing} />)}
    </section>
  );
}

function Drawn({ title, drawing }: { title: string; drawing: Drawing }) {
  const { unit } = drawing;
  const [pointed, setPointed] = useState<number>();
  return (
    <>
      <p class="note chart-words">{chartWords(drawing)}</p>
      <p class="note chart-unit" aria-hidden="true">
        {axisUnit(unit, greatestOf(drawing)).says}
        <Legend drawing={drawing} />
      </p>
      <Canvas title={title} drawing={drawing} pointed={pointed} setPointed={setPointed} />
      {/* As much room without words, so that nothing below it moves. */}
      <p class="note chart-step" aria-hidden="true">
        {pointed === undefined ? '\u00a0' : stepWords(drawing, pointed)}
      </p>
      <ChartTable title={title} drawing={drawing} />
    </>
  );
}

/** A single line needs none: it is what the title says. */
function Legend({ drawing: { lines, markers, bands, ribbon = [] } }: { drawing: Drawing }) {
  const shown = [
    ...(lines.length > 1 ? lines : []),
    ...(markers.length > 0 ? [{ name: 'blocks', ink: 'good' }] : []),
    ...(bands.length > 0 ? [{ name: 'alerts', ink: 'warning' }] : []),
    ...new Map(ribbon.map(({ says, ink }) => [says, { name: says, ink }])).values(),
  ];
  return (
    <span class="legend">
      {shown.map(({ name, ink }) => (
        <span key={name} class={`ink-${ink}`}>
          {name}
        </span>
      ))}
    </span>
  );
}

interface CanvasProps {
  readonly title: string;
  readonly drawing: Drawing;
  readonly pointed: number | undefined;
  setPointed(index: number | undefined): void;
}

/** By keyboard and by ear it is a slider over time, whose value is what was at that time. */
function Canvas({ title, drawing, pointed, setPointed }: CanvasProps) {
  const { box, plot, failed } = usePlot(drawing, setPointed);
  const last = Math.max(0, stepCount(drawing) - 1);
  const at = Math.min(last, pointed ?? last);
  const go = (event: KeyboardEvent): void => {
    const to = KEYS[event.key]?.(at, last);
    if (to === undefined) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(last, to));
    setPointed(index);
    plot.current?.point(index);
  };
  if (failed)
    return <p class="note">The chart could not be loaded: reload this page. The table has its numbers.</p>;
  return (
    <div
      class="plot"
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={`${title} over time`}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={stepWords(drawing, at)}
      onKeyDown={go}
    />
  );
}

const KEYS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - 10,
  PageUp: (at) => at + 10,
  Home: () => 0,
  End: (_at, last) => last,
};

function usePlot(drawing: Drawing, pointed: (index: number | undefined) => void) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const newest = useRef(drawing);
  const [failed, setFailed] = useState(false);
  newest.current = drawing;
  useEffect(() => {
    let isOver = false;
    const build = ({ createPlot }: typeof import('./plot.js')): void => {
      if (!isOver && box.current) plot.current = createPlot(box.current, newest.current, pointed);
    };
    import('./plot.js').then(build, () => setFailed(true));
    return () => {
      isOver = true;
      plot.current?.end();
    };
  }, []);
  useEffect(() => plot.current?.show(drawing), [drawing]);
  return { box, plot, failed };
}
