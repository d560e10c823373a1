/** Failures of starting that an operator can mend, as sentences; all others pass with their stack. */
import { KernelError } from '../../workers/kernels.js';
import { CpuModeError } from '../cpu/modes.js';
import { LedgerError } from '../ledger/errors.js';
import { PoolUrlError } from '../rig/wire.js';
import { CertificateError } from '../stratum/certificate.js';
import { StratumListenError } from '../stratum/listener.js';
import { CommandError } from './command.js';

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port; stop it or choose another with the setting',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'no permission; ports below 1024 and folders of others need more rights',
  ENOSPC: 'the disk is full: free some space and start again',
  EROFS: 'the disk is read-only; choose another folder with --data-dir',
  ENOENT: 'is the path right?',
  ENOTDIR: 'a file stands where a folder should be; choose another with --data-dir',
  ECONNREFUSED: 'nobody answers there; does the database run, and is its URL right?',
  ENOTFOUND: 'there is no host of this name',
  /** PostgreSQL's codes for a wrong password, and for a user or database that does not exist. */
  '28P01': 'the database refuses the password; check ledger.databaseUrl',
  '28000': 'the database refuses the user; check ledger.databaseUrl',
  '3D000': 'create the database, or name another in ledger.databaseUrl',
};

/** Their messages say what to do. */
const REMEDIED = [LedgerError, StratumListenError, CertificateError, CpuModeError, KernelError, PoolUrlError];

/** Rejects with a {@link CommandError} in place of a failure that has a remedy. */
export async function explained<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (REMEDIED.some((type) => error instanceof type)) {
      throw new CommandError((error as Error).message, { cause: error });
    }
    const { code = '', message } = error as NodeJS.ErrnoException;
    const advice = SYSTEM_ERRORS[code];
    throw advice ? new CommandError(`${message || code}: ${advice}`, { cause: error }) : error;
  }
}
