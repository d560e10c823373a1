/** Loads little: the settings of the bridge, and what reads them, would take longer than all else here. */
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Asked, CommandError, type CommandIo, OK } from '../../cli/line/command.js';
import { generateMinerKeys, type MinerKeys } from './keys.js';

export async function run({ flags, io }: Asked): Promise<number> {
  const { out = '' } = flags;
  const keys = generateMinerKeys();
  if (typeof out !== 'string' || out === '') {
    print(keys, io);
    return OK;
  }
  await keepIn(out, keys);
  const { account } = keys;
  io.stdout.write(io.stdout.isTTY ? keptWords(account, out) : `${JSON.stringify({ account, file: out })}\n`);
  return OK;
}

/** Never over another file: that may be a key whose coins nobody could spend any more. */
async function keepIn(path: string, keys: MinerKeys): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    const why = REASONS[cause.code ?? '']?.(path) ?? `${cause.message}: name another file with --out`;
    throw new CommandError(why, { cause });
  });
  try {
    await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
    // What the account earns from now on is lost with it.
    await file.sync();
  } finally {
    await file.close();
  }
}

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  EEXIST: (path) => `${path} is there already: name a new file with --out`,
  ENOENT: (path) => `there is no folder ${dirname(resolve(path))}: make it, or name another with --out`,
};

function keptWords(account: string, file: string): string {
  return `account  ${account}\n\nIts keys are in ${file}, which only you can read. Keep it: the secret key spends what the account earns.\n`;
}

function print(keys: MinerKeys, { stdout }: CommandIo): void {
  if (!stdout.isTTY) {
    stdout.write(`${JSON.stringify(keys)}\n`);
    return;
  }
  stdout.write(`account     ${keys.account}\npublic key  ${keys.publicKey}\nsecret key  ${keys.secretKey}\n`);
  stdout.write(
    '\nKeep the secret key: it is shown this once. With `keygen --out FILE` a file that only you can read keeps it.\n',
  );
  stdout.write(`Mining needs only the account:\n  stratum-bridge serve --miner-account ${keys.account}\n`);
}
