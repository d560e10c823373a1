/** Who signs, from the settings. */

import { ConfigError } from '../../config/layers/config-error.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { PayerTerms } from '../../payouts/payer/turn.js';
import { commandSigner } from '../../payouts/signer/command-signer.js';
import { openFileSigner } from '../../payouts/signer/file-signer.js';
import { type AskPassphrase, checkKeyFile } from '../../payouts/signer/key-file.js';
import {
  passphraseFromCredential,
  passphraseFromDescriptor,
  promptPassphrase,
} from '../../payouts/signer/passphrase.js';
import type { Signer } from '../../payouts/signer/signer.js';
import type { Machine } from '../machine.js';

/** `undefined` where nobody signs here. */
export async function openSigner(
  config: BridgeConfig,
  { networkId, from, gasLimit, maxGasPrice }: PayerTerms,
  passphrase: AskPassphrase | undefined,
): Promise<Signer | undefined> {
  const { account, publicKeys } = from;
  // What is above a limit was approved by somebody; the signer's own limits are apart.
  const rules = { account, networkId, gas: BigInt(gasLimit) * maxGasPrice };
  const command = config['payouts.signer.command'];
  if (command.length > 0) return commandSigner({ ...rules, command, publicKeys });
  const [keyFile, day] = [config['payouts.key'], config['payouts.signer.day']];
  if (keyFile === '') return undefined;
  return openFileSigner({
    ...{ ...rules, keyFile, passphrase, day: day === 'none' ? undefined : day },
    nowMs: Date.now,
  });
}

/** Who asks for a passphrase, and for which. */
interface AskedFor {
  /** The setting or flag that says where it is. */
  readonly setting: string;
  readonly question: string;
}

const OF_PAYER: AskedFor = { setting: 'payouts.passphrase', question: 'passphrase of payouts.key: ' };

/** How the passphrase is had, once; `undefined` where there is none. Throws {@link ConfigError}. */
export function passphraseFrom(
  where: string,
  { setting, question }: AskedFor = OF_PAYER,
): AskPassphrase | undefined {
  if (where === '') return undefined;
  const [, kind, name = ''] = /^(fd|credential):(.+)$/.exec(where) ?? [];
  if (kind === 'fd') return () => passphraseFromDescriptor(Number(name));
  if (kind === 'credential')
    return () => passphraseFromCredential(process.env['CREDENTIALS_DIRECTORY'], name);
  if (where === 'prompt') return () => promptPassphrase(process.stdin, process.stderr, question);
  // Who has typed the passphrase itself is not told it again.
  throw new ConfigError([
    `${setting} says where the passphrase is, and not the passphrase itself: fd:3, credential:NAME or prompt`,
  ]);
}

/** What the primary was told at its start: of several bridges none can ask. */
async function passphraseOf(machine: Machine): Promise<Buffer | undefined> {
  const [told] = await machine.askAll(PASSPHRASE);
  return typeof told === 'string' ? Buffer.from(told, 'base64') : undefined;
}

/** The question to a primary, answered in base64. */
export const PASSPHRASE = 'passphrase';

/** Asked for at the start, while somebody is there to answer, and tried; each use gets a copy, which its user wipes. */
export async function passphraseAtStart(
  config: BridgeConfig,
  machine: Machine,
): Promise<AskPassphrase | undefined> {
  const passphrase = machine.isOneOfSeveral
    ? await passphraseOf(machine)
    : await passphraseFrom(config['payouts.passphrase'])?.();
  const ask = passphrase && (async () => Buffer.from(passphrase));
  const file = config['payouts.signer.command'].length > 0 ? '' : config['payouts.key'];
  if (file !== '') await checkKeyFile(file, ask);
  return ask;
}
