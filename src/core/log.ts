/** Where a room says what happened; pino's loggers fit. Fields must hold no secret. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
