/** Logs: JSON lines for machines, short lines for people. */
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '../core/log.js';

export interface LoggerOptions {
  readonly level: string;
  readonly format: 'auto' | 'json' | 'text';
  /** Where whole lines go. */
  readonly write: (text: string) => void;
  /** Whether people watch: decides for `auto`, and for colours. */
  readonly isTerminal: boolean;
}

export function createLogger({ level, format, write, isTerminal }: LoggerOptions): Logger {
  const asText = format === 'text' || (format === 'auto' && isTerminal);
  const toText = pretty.prettyFactory({
    colorize: isTerminal,
    ignore: 'event',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  });
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters },
    {
      write: (line) => write(asText ? toText(line) : line),
    },
  );
}

/** The life of blocks, of which a development chain makes one a second. */
const CHATTER = /^(solution (received|superseded)|block (onChain|confirmed))$/;

/** The same log, with what goes right all the time as detail. */
export function withoutChatter(log: Log): Log {
  const pick =
    (say: 'info' | 'warn') =>
    (fields: object, message: string): void =>
      log[CHATTER.test(message) ? 'debug' : say](fields, message);
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: pick('info'),
    warn: pick('warn'),
    error: (fields, message) => log.error(fields, message),
  };
}
