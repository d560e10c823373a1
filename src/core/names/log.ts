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
