/** Failures of the books, each with a sentence that says what to do. */

export type LedgerErrorCode =
  /** Another bridge uses the data directory. */
  | 'in-use'
  | 'disk-full'
  /** A folder or file that may not be written or read. */
  | 'no-permission'
  /** The data was written by another major version of PostgreSQL. */
  | 'wrong-version'
  /** There is no PostgreSQL for this platform, or it was not installed. */
  | 'no-binaries'
  /** PostgreSQL cannot run as the system user at hand, or cannot reach its files as that user. */
  | 'system-user'
  | 'start-failed'
  /** The books' tables are of a later version than this program. */
  | 'newer-schema'
  /** What was to be restored is no dump of books, or not whole. */
  | 'bad-dump'
  /** Something was asked of the books that they refuse. */
  | 'refused';

export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly code: LedgerErrorCode;

  constructor(code: LedgerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Words for a failed access to a path of ours. Errors that are none of the known ones pass as they are. */
export function explainFileError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new LedgerError('disk-full', `the disk is full at ${path}: free some space and start again`, {
      cause: error,
    });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const sentence = `${path} may not be written: give its owner back, or choose another folder with --data-dir`;
    return new LedgerError('no-permission', sentence, { cause: error });
  }
  return error;
}
