/** What a long-running command shows: log lines, and on a terminal one live block below them. */

import type { Logger } from 'pino';
import type { LOG_SETTINGS } from '../../config/settings.js';
import type { ConfigOf } from '../../values/setting.js';
import type { CommandIo } from '../line/command.js';
import { KEPT } from './line-file.js';
import { openLogFile } from './log-file.js';
import { createLogger } from './logger.js';
import { createLiveBlock, reflowsLines } from './terminal.js';

export type ScreenConfig = ConfigOf<typeof LOG_SETTINGS>;

export interface Screen {
  /** Its level may be changed at any time. */
  readonly log: Logger;
  /** Somebody watches: what is printed goes to nobody else. */
  readonly isTerminal: boolean;
  /** Whole lines, beside the log. */
  print(text: string): void;
  /** Draws what `lines` gives, again and again, until the screen ends; does nothing when nobody watches. */
  show(lines: () => Promise<readonly string[]>): void;
  end(): void;
}

const DRAW_MS = 1_000;

/**
 * Throws {@link CommandError} when `log.file` cannot be written.
 *
 * @param says what each line of the log has beside the rest.
 */
export async function createScreen(config: ScreenConfig, io: CommandIo, says?: object): Promise<Screen> {
  const isTerminal = io.stdout.isTTY;
  const reflows = reflowsLines(io.env);
  const block =
    isTerminal && config['log.format'] === 'auto' ? createLiveBlock(io.stdout, { reflows }) : undefined;
  const keep = await openFileOf(config, (sentence) => {
    const line = `stratum-bridge: ${sentence}\n`;
    // Between the lines of the block it would be drawn over.
    if (block && io.stderr.isTTY) block.print(line);
    else io.stderr.write(line);
  });
  const print = (text: string): void => (block ? block.print(text) : void io.stdout.write(text));
  const log = await createLogger({
    level: config['log.level'],
    format: config['log.format'],
    write: print,
    ...(keep ? { keep } : {}),
    isTerminal,
    ...(says ? { says } : {}),
  });
  let timer: NodeJS.Timeout | undefined;
  const draw = async (lines: () => Promise<readonly string[]>): Promise<void> => {
    try {
      const drawn = await lines();
      if (timer) block?.draw(drawn);
    } catch (error) {
      log.debug({ error: (error as Error).message }, 'the status could not be drawn');
    }
  };
  return {
    log,
    isTerminal,
    print,
    show(lines) {
      if (!block) return;
      timer = setInterval(() => void draw(lines), DRAW_MS);
      void draw(lines);
    },
    end() {
      clearInterval(timer);
      timer = undefined;
      block?.end();
    },
  };
}

async function openFileOf(
  { 'log.file': path }: ScreenConfig,
  complain: (sentence: string) => void,
): Promise<((line: string) => void) | undefined> {
  if (path === '') return undefined;
  return openLogFile({ path, ...KEPT, complain });
}
