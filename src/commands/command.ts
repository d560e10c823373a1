/** What every command of the command line is. */
import { type Loaded, type LoadInput, loadConfig } from '../config/load.js';
import type { Settings } from '../config/setting.js';
import { BRIDGE_SETTINGS, type BridgeSettings } from '../config/settings.js';
import { helpOfSettings } from '../config/show.js';

export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` shows. */
  help(): string;
  /** Resolves with the exit code. Throws {@link ConfigError} (exit code 2) or {@link CommandError} (1). */
  run(argv: readonly string[], io: CommandIo): Promise<number>;
}

/** A command cannot do what it was asked; the message says what to do about it. Exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code = 'command';
}

export const OK = 0;
export const FAILED = 1;
export const USAGE = 2;

/** The settings of the bridge from flags, environment and file. */
export function loadBridgeConfig(
  argv: readonly string[],
  io: CommandIo,
  defaults: LoadInput['defaults'] = {},
): Loaded<BridgeSettings> {
  const loaded = loadConfig(BRIDGE_SETTINGS, { argv, env: io.env, defaults });
  warnOf(loaded, io);
  return loaded;
}

/** To stderr: what a command prints is for programs too. */
export function warnOf({ warnings }: Pick<Loaded<Settings>, 'warnings'>, { stderr }: CommandIo): void {
  for (const warning of warnings) stderr.write(`stratum-bridge: ${warning}\n`);
}

export interface HelpText {
  /** Without `stratum-bridge`. */
  readonly usage: string;
  /** What it is for, in a paragraph or two. */
  readonly about: string;
  readonly settings?: Settings;
  /** Show keys and variables with each flag. */
  readonly withKeys?: boolean;
  /** It reads a file of settings and variables. */
  readonly takesFile?: boolean;
  readonly examples?: readonly string[];
}

export function helpText(text: HelpText): string {
  const parts = [`Usage: stratum-bridge ${text.usage}`, text.about];
  if (text.settings) parts.push(`Options:\n${helpOfSettings(text.settings, text.withKeys ?? false)}`);
  if (text.withKeys || text.takesFile)
    parts.push(
      '  --config FILE\n      YAML or JSON file of settings; `stratum-bridge config --defaults` prints one.',
    );
  if (text.examples)
    parts.push(`Examples:\n${text.examples.map((line) => `  stratum-bridge ${line}`).join('\n')}`);
  return `${parts.join('\n\n')}\n`;
}
