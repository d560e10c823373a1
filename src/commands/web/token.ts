import { execFile } from 'node:child_process';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { ensureReadToken } from '../../assembly/secret-files.js';
import { type Asked, CommandError, OK } from '../../cli/line/command.js';
import { ConfigError } from '../../config/layers/config-error.js';
import type { WebTokenSettings } from './settings.js';

const MODE = 0o640;

export async function run({ load, io: { stdout, stderr } }: Asked<WebTokenSettings>): Promise<number> {
  const {
    config: { dataDir, out, group },
  } = await load();
  if (out === '') throw new ConfigError(['--out is missing: it names the file that Prometheus reads']);
  const warn = (fields: object, message: string): void =>
    void stderr.write(`stratum-bridge: ${message}: ${JSON.stringify(fields)}\n`);
  const token = await ensureReadToken(dataDir, { debug() {}, info() {}, warn, error: warn });
  await writeCopy(resolve(out), token, group);
  stdout.write(`Wrote the read token to ${resolve(out)}${group && `, which group ${group} may read`}\n`);
  return OK;
}

/** Whole or not there, and at no moment open to others. */
async function writeCopy(path: string, token: string, group: string): Promise<void> {
  const beside = `${path}.${process.pid}.new`;
  try {
    await writeFile(beside, `${token}\n`, { mode: 0o600, flag: 'wx' });
    // Node.js knows no names of groups.
    if (group !== '') await promisify(execFile)('chgrp', ['--', group, beside]);
    await chmod(beside, MODE);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    const { stderr, message } = error as Error & { readonly stderr?: string };
    throw new CommandError(`${path} could not be written: ${(stderr || message).trim()}`, { cause: error });
  }
}
