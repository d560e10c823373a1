/** What must be right before anything is started: between settings, and in the files that they name. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { checkSettings } from '../config/checks.js';
import { readableFile } from '../config/file.js';
import { ConfigError, type Loaded, told } from '../config/load.js';
import { BRIDGE_SETTINGS, type BridgeSettings } from '../config/settings.js';
import type { Miner } from '../node/client.js';
import { minerFrom } from './miner.js';

/** Throws {@link ConfigError} with every problem there is; otherwise who is paid. */
export function checkedMiner(loaded: Loaded<BridgeSettings>): Miner {
  const { miner, problems } = checkSetup(loaded);
  if (problems.length > 0 || !miner) throw new ConfigError(problems);
  return miner;
}

export interface Setup {
  readonly miner?: Miner;
  readonly problems: readonly string[];
}

/** The same for who wants to say more than that, or finds an account by itself. */
export function checkSetup(loaded: Loaded<BridgeSettings>, needsMiner = true): Setup {
  const problems = [...checkSettings(loaded), ...checkFiles(loaded)];
  if (!needsMiner) return { problems };
  try {
    return { miner: minerFrom(loaded.config), problems };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: [...error.problems, ...problems] };
  }
}

const FILES = ['node.ca', 'stratum.tls.certificateFile', 'stratum.tls.privateKeyFile'] as const;

function checkFiles(loaded: Loaded<BridgeSettings>): string[] {
  const { config, written, sources } = loaded;
  const say = (key: keyof BridgeSettings, fault: string): string =>
    told(key, BRIDGE_SETTINGS[key], { value: written[key], source: sources[key] }, fault);
  const problems = FILES.flatMap((key) => {
    const fault = config[key] === '' ? undefined : readableFile(config[key]);
    return fault === undefined ? [] : [say(key, `cannot be used: ${fault}`)];
  });
  const [cert, key] = [config['stratum.tls.certificateFile'], config['stratum.tls.privateKeyFile']];
  if (problems.length > 0 || cert === '' || key === '') return problems;
  try {
    createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
    return [];
  } catch (error) {
    const advice = `is no PEM certificate that goes with the key in ${key} (${(error as Error).message})`;
    return [say('stratum.tls.certificateFile', advice)];
  }
}
