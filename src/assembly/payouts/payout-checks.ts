/** What must be right before a bridge pays on chain: told at the start, and by `doctor`, by key, value and remedy. */

import { ConfigError } from '../../config/layers/config-error.js';
import { told } from '../../config/layers/given.js';
import type { Loaded } from '../../config/layers/load.js';
import { BRIDGE_SETTINGS, type BridgeSettings } from '../../config/settings.js';
import { parseSchedule } from '../../payouts/plan/schedule.js';
import { type KeyFacts, keyFacts } from '../../payouts/signer/key-file.js';
import { SignerError } from '../../payouts/signer/signer.js';
import { checkSignerLog, signerLogOf } from '../../payouts/signer/signer-log.js';
import { payingAccount } from './payer-terms.js';
import { passphraseFrom } from './signers.js';

type Key = keyof BridgeSettings;

/** A sentence for each problem; none where payouts are files. @param nowMs for what the log has signed of late. */
export async function payoutProblems(loaded: Loaded<BridgeSettings>, nowMs: number): Promise<string[]> {
  const { config, written, sources } = loaded;
  if (config['payouts.mode'] === 'manual') return [];
  const say = (key: Key, fault: string): string =>
    told(key, BRIDGE_SETTINGS[key], { value: written[key], source: sources[key] }, fault);
  const schedule = parseSchedule(config['payouts.schedule']);
  const ofKey = await keyProblems(config['payouts.key'], nowMs);
  return [
    ...(typeof schedule === 'string' ? [say('payouts.schedule', `cannot be read: ${schedule}`)] : []),
    ...ofKey.problems.map((fault) => say('payouts.key', fault)),
    ...(ofKey.isReadable ? await problemsOf(async () => void (await payingAccount(config))) : []),
    ...(await problemsOf(async () => void passphraseFrom(config['payouts.passphrase']))),
    ...(ofKey.facts?.hasPassphrase && config['payouts.passphrase'] === ''
      ? [say('payouts.passphrase', NO_PASSPHRASE)]
      : []),
  ];
}

const NO_PASSPHRASE =
  'is not set, and payouts.key has a passphrase: say where it comes from, fd:3, credential:NAME or prompt';

interface KeyLook {
  /** Nothing hinders to ask whose it is; also where there is none. */
  readonly isReadable: boolean;
  readonly facts?: KeyFacts;
  readonly problems: readonly string[];
}

async function keyProblems(file: string, nowMs: number): Promise<KeyLook> {
  if (file === '') return { isReadable: true, problems: [] };
  const facts = await orRefusal(() => keyFacts(file));
  if (facts instanceof SignerError) {
    const advice = `make one with \`ledger payout key new --file ${file}\`, as the user that runs the bridge`;
    return { isReadable: false, problems: [`cannot be used: ${withAdvice(facts, advice)}`] };
  }
  const log = await orRefusal(() => checkSignerLog(signerLogOf(file), facts.publicKey, nowMs));
  if (!(log instanceof SignerError)) return { isReadable: true, facts, problems: [] };
  const advice =
    'without it the key signs nothing. Bring it from where the key has signed last, or make a new key and move the coins';
  return { isReadable: true, facts, problems: [`cannot sign: ${withAdvice(log, advice)}`] };
}

/** The words of all other refusals say what to do. */
function withAdvice({ code, message }: SignerError, ifMissing: string): string {
  return code === 'no-file' ? `${message}: ${ifMissing}` : message;
}

async function orRefusal<T>(look: () => Promise<T>): Promise<T | SignerError> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof SignerError) return error;
    throw error;
  }
}

async function problemsOf(look: () => Promise<void>): Promise<readonly string[]> {
  try {
    await look();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
