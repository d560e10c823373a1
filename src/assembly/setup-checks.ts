/** What must be right before anything is started: between settings, and in the files that they name. */

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { checkSettings } from '../config/checks.js';
import { ConfigError } from '../config/layers/config-error.js';
import { readableFile } from '../config/layers/file.js';
import { told } from '../config/layers/given.js';
import type { Loaded } from '../config/layers/load.js';
import { BRIDGE_SETTINGS, type BridgeSettings } from '../config/settings.js';
import type { Miner } from '../node-client/client.js';
import { minerFrom } from './chains/miner.js';

interface Setup {
  /** Absent where the settings name nobody, which is a problem then. */
  readonly miner?: Miner;
  readonly problems: readonly string[];
}

/**
 * Every problem there is, each a sentence; and who is paid.
 *
 * @param needsMiner false for who finds an account by itself.
 */
export async function checkSetup(loaded: Loaded<BridgeSettings>, needsMiner = true): Promise<Setup> {
  const problems = [...checkSettings(loaded), ...checkFiles(loaded)];
  if (!needsMiner) return { problems };
  try {
    return { miner: minerFrom(loaded.config), problems };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: [...error.problems, ...problems] };
  }
}

/** Of rigs' ports and of the web. */
const PAIRS = [
  ['stratum.tls.certificate', 'stratum.tls.key'],
  ['web.tls.certificate', 'web.tls.key'],
] as const;
const FILES = ['node.ca', ...PAIRS.flat()] as const;

function checkFiles(loaded: Loaded<BridgeSettings>): string[] {
  const { config, written, sources } = loaded;
  const say = (key: keyof BridgeSettings, fault: string): string =>
    told(key, BRIDGE_SETTINGS[key], { value: written[key], source: sources[key] }, fault);
  const unreadable = FILES.flatMap((key) => {
    const fault = config[key] === '' ? undefined : readableFile(config[key]);
    return fault === undefined ? [] : [{ key, problem: say(key, `cannot be used: ${fault}`) }];
  });
  const unfit = PAIRS.flatMap(([certificate, privateKey]) => {
    if (unreadable.some(({ key }) => key === certificate || key === privateKey)) return [];
    const fault = pairFault(config[certificate], config[privateKey]);
    return fault === undefined ? [] : [say(certificate, fault)];
  });
  return [...unreadable.map(({ problem }) => problem), ...unfit];
}

/** Of files that can be read. */
function pairFault(certificateFile: string, privateKeyFile: string): string | undefined {
  if (certificateFile === '' || privateKeyFile === '') return undefined;
  try {
    createSecureContext({ cert: readFileSync(certificateFile), key: readFileSync(privateKeyFile) });
    return undefined;
  } catch (error) {
    return `is no PEM certificate that goes with the key in ${privateKeyFile} (${(error as Error).message})`;
  }
}
