/** `stratum-bridge keygen`: an account to be paid to. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { loadConfig } from '../config/load.js';
import { type Settings, setting } from '../config/setting.js';
import * as value from '../config/values.js';
import { toHex } from '../core/bytes.js';
import { type Command, CommandError, type CommandIo, helpText, OK } from './command.js';
import { explained } from './failures.js';

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

const KEYGEN_SETTINGS = {
  out: setting('out', value.text, {
    default: '',
    shape: 'FILE',
    help: 'Write the keys as JSON to a new file that only you can read, and print the account alone.',
  }),
} satisfies Settings;

export const command: Command = {
  summary: 'make an Ed25519 key pair for a mining account',
  help: () =>
    helpText({
      usage: 'keygen [--out FILE]',
      about:
        'Prints a new account (k: and the public key) with its keys as hex, as JSON when piped.\n' +
        'The secret key is shown once and kept nowhere: store it where only you can read it.\n' +
        'Mining needs the account only; the secret key spends what it earns.',
      settings: KEYGEN_SETTINGS,
      examples: ['keygen', 'keygen --out account.json'],
    }),
  async run(argv, io) {
    const { config } = loadConfig(KEYGEN_SETTINGS, { argv });
    const keys = generateMinerKeys();
    if (config.out === '') print(keys, io);
    else {
      await explained(() => keepIn(config.out, keys));
      const { account } = keys;
      io.stdout.write(
        io.stdout.isTTY ? `${account}\n` : `${JSON.stringify({ account, file: config.out })}\n`,
      );
    }
    return OK;
  },
};

/** Never over another file: that may be a key whose coins nobody could spend any more. */
async function keepIn(path: string, keys: MinerKeys): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandError(`${path} is there already: name a new file with --out`, { cause: error });
  }
}

function print(keys: MinerKeys, { stdout }: CommandIo): void {
  if (!stdout.isTTY) {
    stdout.write(`${JSON.stringify(keys)}\n`);
    return;
  }
  stdout.write(`account     ${keys.account}\npublic key  ${keys.publicKey}\nsecret key  ${keys.secretKey}\n`);
  stdout.write('\nKeep the secret key: it is shown this once. Mining needs only the account:\n');
  stdout.write(`  stratum-bridge serve --account ${keys.account}\n`);
}
