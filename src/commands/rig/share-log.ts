/** Shares of a rig and what was answered to each, added to a file of CSV: what `stratum-bridge audit --log` compares with the pool's roots. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError } from '../../cli/line/command.js';
import type { Log } from '../../core/names/log.js';
import { difficultyOf } from '../../core/work/target.js';
import type { RigJob } from '../../rig/connection.js';
import type { SubmitAnswer } from '../../rig/submits.js';

const HEAD = 'time,chain,height,work,answer\n';

interface RigLog {
  add(job: RigJob, answer: SubmitAnswer): void;
  close(): Promise<void>;
}

/** Rejects with CommandError where the file cannot be written to. */
export async function openRigLog(path: string, log: Log): Promise<RigLog> {
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 });
  await once(file, 'open').catch((cause: Error) => {
    throw new CommandError(`--log ${path} cannot be written: ${cause.message}`, { cause });
  });
  file.on('error', (error) => log.error({ path, error: error.message }, 'shares are not added to the log'));
  if ((await stat(path)).size === 0) file.write(HEAD);
  return {
    add: ({ chainId, height, target }, { outcome }) => {
      const work = difficultyOf(target);
      file.write(`${new Date().toISOString()},${chainId},${height},${work},${outcome}\n`);
    },
    close: () => new Promise((resolve) => file.end(() => resolve())),
  };
}
