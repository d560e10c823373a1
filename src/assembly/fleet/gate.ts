/** Where fronts of the bridge before this one find it. */
import { resolve } from 'node:path';
import { Gate, type GateParts } from '../../fleet/channel/attach.js';
import type { Site } from '../site.js';

/** Their folder is closed to others. */
export function gateIn(dataDir: string): string {
  return resolve(dataDir, 'fronts', 'hub.sock');
}

/** Resolves with whether it is open: without it, all else works. */
export async function openGate(
  { config, log, open }: Site,
  parts: Pick<GateParts, 'refusal' | 'adopt'>,
): Promise<boolean> {
  const gate = new Gate({ ...parts, path: gateIn(config.dataDir), log });
  try {
    await gate.open();
    open.add('gate of fronts', () => gate.close());
    return true;
  } catch (error) {
    const words =
      'rigs are cut off when another start takes the place of this one: its processes could not find it';
    log.warn({ event: 'no-gate', error: (error as Error).message }, words);
    return false;
  }
}
