/** What every page of the wiring is given. */

import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type BridgeEvents, createBridgeEvents } from '../bridge/events.js';
import { checkLineFile } from '../cli/screen/line-file.js';
import type { CloseStack } from '../cli/service/stop.js';
import type { BridgeConfig } from '../config/settings.js';
import type { Log } from '../core/names/log.js';
import { takeBridgeFolder } from '../files/bridge-folders.js';
import { concerning } from './failures.js';
import type { Machine } from './machine.js';

export interface Site {
  readonly config: BridgeConfig;
  readonly log: Log;
  /** Closes what was opened, the last first. */
  readonly open: CloseStack;
  readonly events: BridgeEvents;
  readonly machine: Machine;
  /** This bridge's own; what it shares with others of this machine is in `dataDir`. */
  readonly folder: string;
}

/** Takes a folder for this bridge. Throws where there is none to be had. */
export async function makeSite(
  config: BridgeConfig,
  log: Log,
  open: CloseStack,
  machine: Machine,
): Promise<Site> {
  // Before anything is made for a start that would end there.
  checkLineFile('events.file', config['events.file']);
  const { path: folder, lock } = await concerning('dataDir', async () =>
    takeBridgeFolder(config.dataDir, machine.isOneOfSeveral),
  );
  open.add('folder', async () => lock.release());
  return { config, folder, log, open, events: createBridgeEvents(), machine };
}

/** For people who look for a bridge: host and folder. */
export function bridgePlace({ folder }: Pick<Site, 'folder'>): string {
  return `${hostname()}:${resolve(folder)}`;
}
