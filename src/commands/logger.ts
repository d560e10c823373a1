/** Logs: JSON lines for machines, short lines for people. */
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

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
