/** What uPlot does not draw by itself: times that were marked, behind the lines, and moments. */
import type uPlot from 'uplot';
import type { Drawing, Marker } from './drawing.js';
import type { Inks } from './inks.js';
import { areMany, clustered } from './markers.js';

/** @param colour as computed styles have it: `rgb(1, 2, 3)`. */
export function washed(colour: string, part: number): string {
  return colour.replace(/^rgb\(([^)]*)\)$/, `rgba($1, ${part})`);
}

export function paintBands(plot: uPlot, { bands }: Drawing, inks: Inks): void {
  const { ctx, bbox } = plot;
  ctx.save();
  for (const { fromMs, untilMs, ink } of bands) {
    const left = within(plot, fromMs);
    const right = untilMs === undefined ? bbox.left + bbox.width : within(plot, untilMs);
    ctx.fillStyle = washed(inks[ink], 0.16);
    // One that was over at once is seen too.
    ctx.fillRect(left, bbox.top, Math.max(2, right - left), bbox.height);
  }
  ctx.restore();
}

/** Below the ground, on the same axis. */
export function paintRibbon(plot: uPlot, { ribbon = [] }: Drawing, inks: Inks): void {
  const { ctx, bbox } = plot;
  const [height, below] = [4 * devicePixelRatio, devicePixelRatio];
  ctx.save();
  for (const { fromMs, untilMs, ink } of ribbon) {
    const left = within(plot, fromMs);
    const right = untilMs === undefined ? bbox.left + bbox.width : within(plot, untilMs);
    ctx.fillStyle = inks[ink];
    ctx.fillRect(left, bbox.top + bbox.height + below, right - left, height);
  }
  ctx.restore();
}

export function paintMarkers(plot: uPlot, { markers }: Drawing, inks: Inks): void {
  const { ctx, bbox } = plot;
  ctx.save();
  if (areMany(markers, bbox.width / devicePixelRatio)) paintRug(plot, markers, inks);
  else paintFlags(plot, markers, inks);
  ctx.restore();
}

/** In pixels. */
const TICK = { width: 2, least: 4, most: 14 };

/** Ticks on the ground, the longer the more blocks they stand for. */
function paintRug(plot: uPlot, markers: readonly Marker[], inks: Inks): void {
  const { ctx, bbox } = plot;
  const most = Math.max(...markers.map(({ count }) => count));
  ctx.fillStyle = inks.good;
  for (const { atMs, count } of markers) {
    const height = TICK.least + ((TICK.most - TICK.least) * count) / most;
    const [wide, high] = [TICK.width * devicePixelRatio, height * devicePixelRatio];
    ctx.fillRect(within(plot, atMs) - wide / 2, bbox.top + bbox.height - high, wide, high);
  }
}

/** Room that a flag needs with a number beside it. */
const NUMBER_ROOM = 36;

/** A small flag on a dashed line, and how many blocks it stands for where it is more than one. */
function paintFlags(plot: uPlot, markers: readonly Marker[], inks: Inks): void {
  const { ctx, bbox } = plot;
  const size = 5 * devicePixelRatio;
  ctx.strokeStyle = washed(inks.good, 0.6);
  ctx.fillStyle = inks.good;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  const flags = markers.map(({ atMs, count }) => ({ x: within(plot, atMs), count }));
  for (const { x, count } of clustered(flags, NUMBER_ROOM * devicePixelRatio)) {
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top - size);
    ctx.lineTo(x + size, bbox.top - size);
    ctx.lineTo(x, bbox.top + size);
    ctx.fill();
    if (count > 1) ctx.fillText(String(count), x + 1.5 * size, bbox.top - size / 4);
  }
}

/** A time in pixels of the canvas, no farther than its edges. */
function within(plot: uPlot, atMs: number): number {
  const { left, width } = plot.bbox;
  return Math.max(left, Math.min(left + width, plot.valToPos(atMs / 1000, 'x', true)));
}
