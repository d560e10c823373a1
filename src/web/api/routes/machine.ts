/** What is asked of all bridges of this machine, and ordered of them. */
import type { MachineWatch } from '../../../bridge/watch/machine-watch.js';
import type { RigWatch } from '../../../bridge/watch/rig-watch.js';
import { drainState } from '../../../operations/drain.js';
import { type Replacement, replace, replacement } from '../../../operations/replace.js';
import { serve, serveOrders } from '../serve.js';
import type { Api } from '../typed.js';

const OFF: Replacement = { state: 'off', replaced: 0, bridges: 1, why: null };

export function addMachineRoutes(
  api: Api,
  rigs: Pick<RigWatch, 'drain'>,
  machine: MachineWatch | undefined,
): void {
  serve(api, drainState, async () => (machine ? machine.drain() : rigs.drain()));
  serve(api, replacement, async () => (await machine?.replacement()) ?? OFF);
  serveOrders(api, { replace }, machine && { replace: machine.replace });
}
