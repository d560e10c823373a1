/**
 * What every command of the command line is: a light declaration, which help reads, and a body that is
 * loaded when it runs. A declaration imports tables of settings and nothing else.
 */

import type { FlagValues } from '../../config/layers/flags.js';
import type { Loaded } from '../../config/layers/load.js';
import type { Settings } from '../../values/setting.js';

export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Of settings S; who only reads declarations takes any. */
export interface Command<S extends Settings = Settings> {
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it is for, in a paragraph or two. */
  readonly about?: string;
  /** From flags, variables and a file; `flagOnly` ones from flags alone. */
  readonly settings?: S;
  /** Words that it takes, in commander's notation: `<file>` is needed, `[id]` is not. */
  readonly words?: string;
  /** Nested ones, by name. */
  readonly commands?: Readonly<Record<string, Command>>;
  /** Without `stratum-bridge`. */
  readonly examples?: readonly string[];
  /** Resolves with the exit code. Throws {@link ConfigError} (exit code 2) or {@link CommandError} (1). */
  run?(asked: Asked<S>): Promise<number>;
}

/** Keeps the types of the settings between a declaration and its body. */
export function defineCommand<const S extends Settings>(declared: Command<S>): Command {
  // Nobody but the body looks at values, and it gets those of its own settings.
  return declared as unknown as Command;
}

/** What a command was asked. */
export interface Asked<S extends Settings = Settings> {
  /** Those of {@link Command.words} that were given, in order. */
  readonly words: readonly string[];
  /** As given on the command line, by flag without dashes; for commands that need no more of the settings. */
  readonly flags: FlagValues;
  readonly io: CommandIo;
  /** Reads file and variables anew each time. Throws {@link ConfigError}. */
  load(): Promise<Loaded<S>>;
}

/** A command cannot do what it was asked; the message says what to do about it. Exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code = 'command';
}

export const OK = 0;
export const FAILED = 1;
export const USAGE = 2;
