/** The log as files of JSON lines. */
import { type LineFileOptions, openLineFile } from './line-file.js';

type LogFileOptions = Pick<LineFileOptions, 'path' | 'bytes' | 'files' | 'complain'>;

/** Resolves with what writes a line. Throws CommandError when the file cannot be opened. */
export async function openLogFile(options: LogFileOptions): Promise<(line: string) => void> {
  const file = await openLineFile({ ...options, setting: 'log.file', atOnce: true });
  return (line) => file.write(line);
}
