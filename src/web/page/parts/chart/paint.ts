/** What uPlot does not draw by itself: times that were marked, behind the lines, and moments. */
import type uPlot from 'uplot';
import type { Drawing } from './drawing.js';
import type { Inks } from './inks.js';
import { clustered } from './markers.js';

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

/** Room that a flag needs with a number beside it. */
const FLAG_ROOM = 36;

/** A small flag on a dashed line, and how many blocks it stands for where it is more than one. */
export function paintMarkers(plot: uPlot, { markers }: Drawing, inks: Inks): void {
  const { ctx, bbox } = plot;
  const size = 5 * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = washed(inks.good, 0.6);
  ctx.fillStyle = inks.good;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  const flags = markers.map(({ atMs, count }) => ({ x: within(plot, atMs), count }));
  for (const { x, count } of clustered(flags, FLAG_ROOM * devicePixelRatio)) {
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
  ctx.restore();
}

/** A time in pixels of the canvas, no farther than its edges. */
function within(plot: uPlot, atMs: number): number {
  const { left, width } = plot.bbox;
  return Math.max(left, Math.min(left + width, plot.valToPos(atMs / 1000, 'x', true)));
}
