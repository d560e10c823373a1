/** Where a room says what happened; pino's loggers fit. Fields must hold no secret. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** An error that nobody expected, as fields: with its stack, because nothing else says where it came from. */
export function faultOf(error: unknown): { readonly error: string; readonly stack?: string | undefined } {
  return error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) };
}

/** That a part did not answer: of one that is away a line for who looks for it, and of a mistake of ours, which no waiting mends, an error. */
export function tellUnanswered(log: Log, error: Error, message: string): void {
  const isOurs = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  // Classes 22 and 42 of SQLSTATE are data and statements that are wrong.
  const isMistake = isOurs || /^(22|42)[0-9A-Z]{3}$/.test(String((error as { code?: unknown }).code));
  log[isMistake ? 'error' : 'debug'](faultOf(error), message);
}
