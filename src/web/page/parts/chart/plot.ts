/** The drawn part of a chart, by uPlot. Loaded when the first chart is shown: the page is there before it. */
import uPlot from 'uplot';
import { axisUnit } from '../../words/units.js';
import { axesFor } from './axes.js';
import {
  boundsOf,
  type Drawing,
  endOf,
  greatestOf,
  type Line,
  lonely,
  middleOf,
  stacked,
  stepCount,
} from './drawing.js';
import { type Inks, onThemeChange, readInks } from './inks.js';
import { paintBands, paintMarkers, paintRibbon, washed } from './paint.js';

export interface Plot {
  show(drawing: Drawing): void;
  /** Puts the cursor on a step. */
  point(index: number): void;
  end(): void;
}

/**
 * @param box has a size of its own, which is followed.
 * @param pointed is told the step under the pointer; `undefined` when it has left.
 */
export function createPlot(
  box: HTMLElement,
  first: Drawing,
  pointed: (index: number | undefined) => void,
): Plot {
  let drawing = first;
  let inks = readInks(box);
  const now = { drawing: () => drawing, inks: () => inks, pointed };
  let plot = build(box, now);
  const resized = new ResizeObserver(() => plot.setSize(sizeOf(box)));
  resized.observe(box);
  const endTheme = onThemeChange(() => {
    inks = readInks(box);
    plot.redraw();
  });
  return {
    show(next) {
      const isAlike = kindOf(next) === kindOf(drawing);
      drawing = next;
      if (isAlike) return plot.setData(dataOf(next));
      plot.destroy();
      plot = build(box, now);
    },
    point(index) {
      const left = plot.valToPos(middleOf(drawing.steps, index) / 1000, 'x');
      plot.setCursor({ left, top: 0 });
    },
    end() {
      resized.disconnect();
      endTheme();
      plot.destroy();
    },
  };
}

/** What a plot asks for each time that it draws. */
interface Now {
  drawing(): Drawing;
  inks(): Inks;
  pointed(index: number | undefined): void;
}

/** What a plot is built for; the rest of a drawing may change in it. */
function kindOf({ look, unit, lines }: Drawing): string {
  return JSON.stringify([look, unit.words, lines.map(({ name, ink, errors }) => [name, ink, !errors])]);
}

function build(box: HTMLElement, now: Now): uPlot {
  const drawing = now.drawing();
  const options: uPlot.Options = {
    ...sizeOf(box),
    series: [{}, ...(drawing.look === 'stack' ? stackSeries(now) : lineSeries(now))],
    bands: drawing.look === 'stack' ? [] : errorBands(now),
    scales: {
      x: { range: () => [now.drawing().steps.fromMs / 1000, endOf(now.drawing()) / 1000] },
      y: { range: () => [0, 1.08 * greatestOf(now.drawing()) || 1] },
    },
    axes: axesFor({
      inks: now.inks,
      steps: () => now.drawing().steps,
      divisor: () => axisUnit(now.drawing().unit, greatestOf(now.drawing())).divisor,
    }),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    // At the right, room for half of a label that stands at the end.
    padding: [12, 20, 0, 0],
    hooks: {
      drawClear: [(plot) => paintBands(plot, now.drawing(), now.inks())],
      draw: [
        (plot) => paintMarkers(plot, now.drawing(), now.inks()),
        (plot) => paintRibbon(plot, now.drawing(), now.inks()),
      ],
      setCursor: [(plot) => now.pointed(plot.cursor.idx ?? undefined)],
    },
  };
  return new uPlot(options, dataOf(drawing), box);
}

function sizeOf(box: HTMLElement): { width: number; height: number } {
  return { width: Math.max(1, box.clientWidth), height: Math.max(1, box.clientHeight) };
}

function lineSeries(now: Now): uPlot.Series[] {
  return now.drawing().lines.flatMap(({ ink, errors }, i) => {
    const line: uPlot.Series = {
      width: 2,
      stroke: () => now.inks()[ink],
      points: {
        size: 5,
        fill: () => now.inks()[ink],
        filter: () => lonely(now.drawing().lines[i]?.values ?? []),
      },
    };
    const edge: uPlot.Series = { width: 0, points: { show: false } };
    return errors ? [line, edge, edge] : [line];
  });
}

/** Between the edges that follow a line with errors. */
function errorBands(now: Now): uPlot.Band[] {
  let at = 1;
  return now.drawing().lines.flatMap(({ ink, errors }) => {
    const value = at;
    at += errors ? 3 : 1;
    if (!errors) return [];
    return [{ series: [value + 2, value + 1], fill: () => washed(now.inks()[ink], 0.2) } as uPlot.Band];
  });
}

/** The last one reaches highest, and stands behind the others. */
function stackSeries(now: Now): uPlot.Series[] {
  const paths = uPlot.paths.bars?.({ size: [0.8, 40] });
  return now
    .drawing()
    .lines.map(({ ink }) => ({
      ...(paths ? { paths } : {}),
      width: 0,
      fill: () => now.inks()[ink],
      points: { show: false },
    }))
    .reverse();
}

function dataOf(drawing: Drawing): uPlot.AlignedData {
  const { look, lines, steps } = drawing;
  const times = Array.from({ length: stepCount(drawing) }, (_, i) => middleOf(steps, i) / 1000);
  const columns = look === 'stack' ? stacked(lines).reverse() : lines.flatMap(columnsOf);
  return [times, ...columns.map((column) => [...column])];
}

function columnsOf(line: Line): (readonly (number | null)[])[] {
  const { low, high } = boundsOf(line);
  return line.errors ? [line.values, low, high] : [line.values];
}
