/** An account of its own for each data directory, unless it is told whom blocks pay: rig and CPU work for it, too. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../../cli/line/command.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { Log } from '../../core/names/log.js';
import { makeFolder } from '../../files/make-folder.js';
import { writeDurably } from '../../files/write-durably.js';
import { generateMinerKeys } from '../keygen/keys.js';

const ACCOUNT_FILE = 'demo-account.json';

/** Made once and kept: a second start pays the same one. */
export async function withDemoAccount(config: BridgeConfig, log: Log): Promise<BridgeConfig> {
  if (config['miner.account'] !== '') return config;
  makeFolder(config.dataDir);
  return { ...config, 'miner.account': await ownAccount(join(config.dataDir, ACCOUNT_FILE), log) };
}

async function ownAccount(path: string, log: Log): Promise<string> {
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined) return accountIn(kept, path);
  const keys = generateMinerKeys();
  await writeDurably(path, [`${JSON.stringify(keys, null, 2)}\n`]);
  log.info({ path }, 'made an account to mine for');
  return keys.account;
}

const KEPT = z.object({ account: z.string() });

function accountIn(text: string, path: string): string {
  try {
    return KEPT.parse(JSON.parse(text)).account;
  } catch (cause) {
    const sentence = `${path} holds no account, or not all of it: bring it back, or remove it to get a new one`;
    throw new CommandError(sentence, { cause });
  }
}
