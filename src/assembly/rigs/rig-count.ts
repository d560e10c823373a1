/** What follows from how many rigs there are. A rig is who has authorized: anybody can connect. */

import type { BridgeEvents } from '../../bridge/events.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Tally } from '../../web/state/tally.js';

/**
 * One chain for each rig, and one for the CPU while it mines, unless the operator has set a number.
 *
 * @returns to be told whether the CPU mines; it does not at first.
 */
export function workOnAsMany(
  config: BridgeConfig,
  upstream: Pick<Upstream, 'workOn'>,
  tally: Tally,
  events: BridgeEvents,
): (cpuMines: boolean) => void {
  const wanted = config['work.chains'];
  let ofCpu = 0;
  const tell = (): void => upstream.workOn(wanted === 'auto' ? tally.rigs + ofCpu : wanted);
  tell();
  events.on('sessionAuthorized', tell);
  events.on('sessionClosed', tell);
  return (cpuMines) => {
    ofCpu = cpuMines ? 1 : 0;
    tell();
  };
}
