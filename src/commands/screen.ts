/** What a long-running command shows: log lines, and on a terminal one live block below them. */
import type { Logger } from 'pino';
import type { BridgeConfig } from '../config/settings.js';
import type { CommandIo } from './command.js';
import { createLogger } from './logger.js';
import { createLiveBlock } from './terminal.js';

export interface Screen {
  readonly log: Logger;
  /** Draws what `lines` gives, again and again, until the screen ends; does nothing when nobody watches. */
  show(lines: () => Promise<readonly string[]>): void;
  end(): void;
}

const DRAW_MS = 1_000;

export function createScreen(config: Pick<BridgeConfig, 'log.level' | 'log.format'>, io: CommandIo): Screen {
  const isTerminal = io.stdout.isTTY;
  const block = isTerminal && config['log.format'] === 'auto' ? createLiveBlock(io.stdout) : undefined;
  const log = createLogger({
    level: config['log.level'],
    format: config['log.format'],
    write: (line) => (block ? block.print(line) : void io.stdout.write(line)),
    isTerminal,
  });
  let timer: NodeJS.Timeout | undefined;
  const draw = async (lines: () => Promise<readonly string[]>): Promise<void> => {
    try {
      block?.draw(await lines());
    } catch (error) {
      log.debug({ error: (error as Error).message }, 'the status could not be drawn');
    }
  };
  return {
    log,
    show(lines) {
      if (block) timer = setInterval(() => void draw(lines), DRAW_MS);
    },
    end() {
      clearInterval(timer);
      block?.end();
    },
  };
}
