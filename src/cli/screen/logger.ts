/** Logs: JSON lines for machines, short lines for people. One line an event, whatever it has to say. */
import { type Logger, pino } from 'pino';
import type { Log } from '../../core/names/log.js';
import { printable } from '../../core/names/names.js';

interface LoggerOptions {
  readonly level: string;
  readonly format: 'auto' | 'json' | 'text';
  /** Where whole lines go, in the format. */
  readonly write: (text: string) => void;
  /** Where the same lines go as JSON, whatever the format. */
  readonly keep?: (line: string) => void;
  /** Whether people watch: decides for `auto`, and for colours. */
  readonly isTerminal: boolean;
  /** What each line has beside the rest. */
  readonly says?: object;
}

export async function createLogger({
  level,
  format,
  write,
  keep,
  isTerminal,
  says,
}: LoggerOptions): Promise<Logger> {
  const asText = format === 'text' || (format === 'auto' && isTerminal);
  const shown = asText ? await textOf(isTerminal) : (line: string) => line;
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino(
    { level, base: says ?? null, timestamp: pino.stdTimeFunctions.isoTime, formatters },
    {
      write(line) {
        keep?.(line);
        write(shown(line));
      },
    },
  );
}

/** A JSON line in words. What makes them is loaded here: a service that writes JSON lines starts sooner without it. */
async function textOf(isTerminal: boolean): Promise<(line: string) => string> {
  const { default: pretty } = await import('pino-pretty');
  const toText = pretty.prettyFactory({
    colorize: isTerminal,
    ignore: 'event',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    // Others would be printed on lines of their own.
    errorLikeObjectKeys: [],
  });
  return (line) =>
    toText(JSON.parse(line, (_key, value) => (typeof value === 'string' ? flat(value) : value)));
}

/** In one line that commands no terminal. */
function flat(text: string): string {
  return printable(text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' '));
}

/** The life of blocks, of which a development chain makes one a second. */
const CHATTER = /^(the node has taken the block of .*|solution superseded)$/;

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
