/** What follows from how many rigs there are. A rig is who has authorized: anybody can connect. */

import type { BridgeEvents } from '../../bridge/events.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Tally } from '../../web/state/tally.js';
import { cpuThreads } from './cpu.js';

/** One chain for each rig and CPU thread, unless the operator has set a number. */
export function workOnAsMany(
  config: BridgeConfig,
  upstream: Pick<Upstream, 'workOn'>,
  tally: Tally,
  events: BridgeEvents,
): void {
  const wanted = config['work.chains'];
  const threads = cpuThreads(config);
  const tell = (): void => upstream.workOn(wanted === 'auto' ? tally.rigs + threads : wanted);
  tell();
  events.on('sessionAuthorized', tell);
  events.on('sessionClosed', tell);
}
