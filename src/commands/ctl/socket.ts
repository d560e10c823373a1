/** By which socket of a data directory a bridge is asked. */
import { connect } from 'node:net';
import { bridgeFolder, bridgeFoldersIn } from '../../files/bridge-folders.js';
import { controlFault, controlSocketIn } from '../../web/control-socket.js';

/** That of the first bridge of a data directory that listens by it; where none does, that which the first one would have. */
export async function controlSocketOf(dataDir: string): Promise<string> {
  const first = controlSocketIn(bridgeFolder(dataDir));
  if (controlFault(first) !== undefined) return first;
  for (const folder of bridgeFoldersIn(dataDir))
    if (await listensAt(controlSocketIn(folder))) return controlSocketIn(folder);
  return first;
}

function listensAt(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path }, () => resolve(true));
    socket.on('connect', () => socket.destroy());
    // One who may not open it is told so when he asks.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EACCES' || code === 'EPERM'));
  });
}
