/** What holds over all fronts. The hub's own rigs' side is one of them, number 0: an operator gives orders there. */
import type { BanListener } from '../../fleet/state/orders.js';
import { HubState } from '../../fleet/state/state.js';
import { STEADY_CLOCK } from '../clocks.js';
import { NONCE1_QUARANTINE_MS } from '../rigs/mining.js';
import type { Orders } from '../rigs/orders.js';
import type { Site } from '../site.js';

/** That of the hub; fronts count from 1. */
export const HUB = 0;

export function openState({ events, log, open }: Site, { kept, keeper }: Orders): HubState {
  const bans: BanListener = {
    banned: (ban) => void events.emit('banned', ban),
    unbanned: (ban, by) => void events.emit('unbanned', ban, by),
  };
  const state = new HubState({ kept, keeper, bans, clock: STEADY_CLOCK, stayMs: NONCE1_QUARANTINE_MS, log });
  open.add('state of fronts', () => state.close());
  return state;
}
