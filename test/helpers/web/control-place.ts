/** Where `ctl` looks for a bridge in a data directory. */

import { bridgeFolder } from '../../../src/files/bridge-folders.js';
import { makeFolder } from '../../../src/files/make-folder.js';
import { controlSocketIn } from '../../../src/web/control-socket.js';

export function controlPlace(dataDir: string): string {
  const folder = bridgeFolder(dataDir);
  makeFolder(folder);
  return controlSocketIn(folder);
}
