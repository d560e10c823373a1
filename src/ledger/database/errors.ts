/** Failures of the books, each with a sentence that says what to do. */

type LedgerErrorCode =
  /** Another bridge uses the data directory. */
  | 'in-use'
  | 'disk-full'
  /** A folder or file that may not be written or read. */
  | 'no-permission'
  /** The data was written by another major version of PostgreSQL. */
  | 'wrong-version'
  /** Something stands before the database that shares its connections. */
  | 'pooler'
  /** There is no PostgreSQL for this platform, or it was not installed. */
  | 'no-binaries'
  /** PostgreSQL cannot run as the system user at hand, or cannot reach its files as that user. */
  | 'system-user'
  /** What the ledger held is not where it was. */
  | 'data-gone'
  | 'start-failed'
  /** The books, or a dump of them, have other tables than this program makes. */
  | 'other-tables'
  /** Only their functions are others, where nothing may be changed. */
  | 'other-functions'
  /** Nobody ever kept books here, where nothing may be made. */
  | 'no-books'
  /** No bridge has written rules into them yet. */
  | 'no-rules'
  /** What was to be restored is no dump of books, or not whole. */
  | 'bad-dump'
  /** Something was asked of the books that they refuse. */
  | 'refused'
  /** It did not come to its end in the time that a statement has: less of it may. */
  | 'slow'
  /** The database does not answer, or does nothing for anybody now: it may be asked again. */
  | 'away';

export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly code: LedgerErrorCode;

  constructor(code: LedgerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** SQLSTATE classes: data exceptions, broken constraints, limits of a row. The same will be refused again. */
const DATA_ERROR = /^(22|23|54)[0-9A-Z]{3}$/;

/** The database refuses what it was given, for what is in it. */
export function isDataError(error: unknown): error is Error {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && DATA_ERROR.test(code);
}

/** `statement_timeout` has ended it. */
const CANCELED = '57014';

/** An error of the database or of the way to it as `away` or `slow`; a mistake of ours stays what it is. */
export function outageOf(error: unknown): unknown {
  if (error instanceof LedgerError || error instanceof TypeError || error instanceof RangeError) return error;
  const code = (error as { code?: unknown }).code === CANCELED ? 'slow' : 'away';
  return new LedgerError(code, `the ledger does not take it now: ${(error as Error).message}`, {
    cause: error,
  });
}
