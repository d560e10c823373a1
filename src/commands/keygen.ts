/** `stratum-bridge keygen`: an account to be paid to. */
import { generateKeyPairSync } from 'node:crypto';
import { loadConfig } from '../config/load.js';
import type { Settings } from '../config/setting.js';
import { toHex } from '../core/bytes.js';
import { type Command, type CommandIo, helpText, OK } from './command.js';

export interface MinerKeys {
  /** `k:` and the public key. */
  readonly account: string;
  /** 64 hex digits. */
  readonly publicKey: string;
  /** 64 hex digits: the seed of RFC 8032. */
  readonly secretKey: string;
}

/** A new Ed25519 key pair. */
export function generateMinerKeys(): MinerKeys {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' });
  const publicKey = toHex(Buffer.from(x, 'base64url'));
  return { account: `k:${publicKey}`, publicKey, secretKey: toHex(Buffer.from(d, 'base64url')) };
}

const NO_SETTINGS = {} satisfies Settings;

export const command: Command = {
  summary: 'make an Ed25519 key pair for a mining account',
  help: () =>
    helpText({
      usage: 'keygen',
      about:
        'Prints a new account (k: and the public key) with its keys as hex, as JSON when piped.\n' +
        'The secret key is shown once and kept nowhere: store it where only you can read it.\n' +
        'Mining needs the account only; the secret key spends what it earns.',
      examples: ['keygen', 'keygen > account.json'],
    }),
  async run(argv, io) {
    loadConfig(NO_SETTINGS, { argv });
    print(generateMinerKeys(), io);
    return OK;
  },
};

function print(keys: MinerKeys, { stdout }: CommandIo): void {
  if (!stdout.isTTY) {
    stdout.write(`${JSON.stringify(keys)}\n`);
    return;
  }
  stdout.write(`account     ${keys.account}\npublic key  ${keys.publicKey}\nsecret key  ${keys.secretKey}\n`);
  stdout.write('\nKeep the secret key: it is shown this once. Mining needs only the account:\n');
  stdout.write(`  stratum-bridge serve --account ${keys.account}\n`);
}
