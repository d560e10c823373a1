/** The end of a drain that is to be the end of the bridge. */
import type { BridgeEvents } from '../../bridge/events.js';

/** Resolves with the reason; never where no such drain comes to its end. */
export function emptiedBy(events: BridgeEvents): Promise<string> {
  return new Promise((resolve) => {
    events.on('drain', ({ state, stops, left }) => {
      if (!stops || (state !== 'drained' && state !== 'timeUp')) return;
      resolve(
        state === 'drained' ? 'it is drained' : `the time of its drain is over, ${left} sessions are left`,
      );
    });
  });
}
