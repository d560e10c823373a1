/** The log of a front on its way to that of the hub: some lines at a time, and what is wrong at once. */
import type { LogLine } from '../../bridge/fleet/ports.js';
import type { Log } from '../../core/names/log.js';

/** As `log.level` has them. */
const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type Level = (typeof LEVELS)[number];

/** A line of each of thousands of rigs that come at once would be a message each. */
const GATHER_MS = 50;
/** More lines within that time are left out, and counted. */
const MAX_LINES = 1_000;

export class LogLines implements Log {
  /** Lines below it go nowhere. */
  level: Level = 'debug';
  readonly #tell: (lines: readonly LogLine[]) => void;
  #lines: LogLine[] = [];
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (lines: readonly LogLine[]) => void) {
    this.#tell = tell;
  }

  debug(fields: object, words: string): void {
    this.#gather({ level: 'debug', fields, words });
  }

  info(fields: object, words: string): void {
    this.#gather({ level: 'info', fields, words });
  }

  warn(fields: object, words: string): void {
    this.#tellAtOnce({ level: 'warn', fields, words });
  }

  error(fields: object, words: string): void {
    this.#tellAtOnce({ level: 'error', fields, words });
  }

  /** Tells what was gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = [];
    if (this.#leftOut > 0)
      lines.push({ level: 'warn', fields: { lines: this.#leftOut }, words: 'lines of the log are left out' });
    this.#leftOut = 0;
    if (lines.length > 0) this.#tell(lines);
  }

  #gather(line: LogLine): void {
    if (!this.#isWanted(line)) return;
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
    if (this.#lines.length < MAX_LINES) this.#lines.push(line);
    else this.#leftOut++;
  }

  /** After those that were gathered before it. */
  #tellAtOnce(line: LogLine): void {
    if (!this.#isWanted(line)) return;
    this.#lines.push(line);
    this.flush();
  }

  #isWanted({ level }: LogLine): boolean {
    return LEVELS.indexOf(level) >= LEVELS.indexOf(this.level);
  }
}
