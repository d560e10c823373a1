/** What rigs were answered, from a file. */
import { readFile } from 'node:fs/promises';
import { CommandError } from '../../cli/line/command.js';
import { type LoggedShare, readRigLog } from '../../core/audit/rig-log.js';

/** Rejects with CommandError where it cannot be read. */
export async function loggedShares(path: string): Promise<LoggedShare[]> {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new CommandError(`${path} cannot be read: ${cause.message}`, { cause });
  });
  const read = readRigLog(text);
  if (typeof read === 'string') throw new CommandError(`${path}: ${read}`);
  return read;
}
