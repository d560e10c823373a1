/** What every page of the wiring is given. */

import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { BridgeEvents } from '../bridge/events.js';
import type { CloseStack } from '../cli/service/stop.js';
import type { BridgeConfig } from '../config/settings.js';
import type { Log } from '../core/names/log.js';

export interface Site {
  readonly config: BridgeConfig;
  readonly log: Log;
  /** Closes what was opened, the last first. */
  readonly open: CloseStack;
  readonly events: BridgeEvents;
  /** Ports of rigs that listen already, from the bridge whose place this one takes: name -> descriptor. */
  readonly kept?: ReadonlyMap<string, number> | undefined;
}

/** For people who look for a bridge: host and data directory. */
export function bridgePlace(dataDir: string): string {
  return `${hostname()}:${resolve(dataDir)}`;
}
