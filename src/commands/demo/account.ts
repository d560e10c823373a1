/**
 * Two accounts of its own for each data directory, unless it is told whom blocks pay: a pool's, which blocks pay and whose key signs
 * payouts, and a miner's, whom rig and CPU work for and who is paid.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../../cli/line/command.js';
import type { Loaded } from '../../config/layers/load.js';
import type { BridgeConfig, BridgeSettings } from '../../config/settings.js';
import { parseAmount } from '../../core/money/amount.js';
import type { Log } from '../../core/names/log.js';
import { makeFolder } from '../../files/make-folder.js';
import { writeDurably } from '../../files/write-durably.js';
import { keyFacts, newKeyFile } from '../../payouts/signer/key-file.js';
import { SignerError } from '../../payouts/signer/signer.js';
import { newSignerLog, signerLogOf } from '../../payouts/signer/signer-log.js';
import { generateMinerKeys } from '../keygen/keys.js';
import { chainFolder } from './parts.js';

const ACCOUNT_FILE = 'demo-account.json';
const POOL_KEY_FILE = 'demo-pool.key';

interface DemoAccounts {
  readonly config: BridgeConfig;
  /** The account of rig and CPU. */
  readonly worksFor: string;
  /** Has coins from the first block on; absent where blocks alone pay it, or it pays nobody. */
  readonly funded?: string;
}

/** Made once and kept: a second start pays the same ones. */
export async function withDemoAccounts(
  config: BridgeConfig,
  sources: Loaded<BridgeSettings>['sources'],
  log: Log,
): Promise<DemoAccounts> {
  if (config['miner.account'] !== '') return { config, worksFor: config['miner.account'] };
  makeFolder(config.dataDir);
  const worksFor = await minersAccount(join(config.dataDir, ACCOUNT_FILE), log);
  const key = join(config.dataDir, POOL_KEY_FILE);
  const isOwn = sources['payouts.mode'] === 'default' && sources['payouts.key'] === 'default';
  // A chain of before this pool had a key: its first blocks know nothing of it, and cannot any more.
  if (!isOwn || (existsSync(chainFolder(config.dataDir)) && !existsSync(key)))
    return { config: { ...config, 'miner.account': worksFor }, worksFor };
  const pool = await poolAccount(key, log);
  return { config: { ...config, ...payouts(key), 'miner.account': pool }, worksFor, funded: pool };
}

/** Small limits, soon: coins of a development network are worth nothing, and money is to be seen. */
function payouts(key: string) {
  const coins = (text: string): bigint => parseAmount(text) ?? 0n;
  return {
    'payouts.mode': 'auto',
    'payouts.key': key,
    'payouts.schedule': 'every 1m',
    'payouts.ttl': 120_000,
    'payouts.firstApprovals': 0,
    'payouts.limit.line': coins('1000'),
    'payouts.limit.batch': coins('1000'),
    'payouts.limit.day': coins('100000'),
  } as const;
}

async function minersAccount(path: string, log: Log): Promise<string> {
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

/** A start may have ended between the key and its log. */
async function poolAccount(path: string, log: Log): Promise<string> {
  try {
    await newKeyFile(path);
    log.info({ path }, 'made a key that pays');
  } catch (error) {
    if (!(error instanceof SignerError && error.code === 'exists')) throw error;
  }
  const { account, publicKey } = await keyFacts(path);
  try {
    await newSignerLog(signerLogOf(path), publicKey, Date.now());
  } catch (error) {
    if (!(error instanceof SignerError && error.code === 'exists')) throw error;
  }
  return account;
}
