/** As far as it is used here: the package has no types of its own. */
declare module 'pino-roll' {
  import type { EventEmitter } from 'node:events';

  export interface RollOptions {
    /** A number is put before its extension: `bridge.log` becomes `bridge.1.log`. */
    readonly file: string;
    /** With unit: `1024b`. */
    readonly size: string;
    readonly mode: number;
    readonly sync: boolean;
    /** Bytes that wait while the disk takes none; what is beyond is dropped. */
    readonly maxLength: number;
  }

  /** Of sonic-boom. Emits `ready`, `write`, `drop`, `error` and `close`. */
  export interface RollingFile extends EventEmitter {
    /** With its number. */
    readonly file: string;
    write(text: string): boolean;
    /** Writes what waits, and closes it then. */
    end(): void;
    /** Closes it at once. */
    destroy(): void;
  }

  export default function build(options: RollOptions): Promise<RollingFile>;
}
