/** Slots: ten seconds each, by which work is summed for the books. */

const SLOT_SECONDS = 10;

/** Number of the slot that a time falls in: seconds since the epoch, divided by {@link SLOT_SECONDS}. */
export function slotOf(timeMs: number): number {
  return Math.floor(timeMs / 1000 / SLOT_SECONDS);
}
