/** Settings from the words of a command line, read as the program reads them. */

import { readLine } from '../../../src/cli/line/read.js';
import { ConfigError } from '../../../src/config/layers/config-error.js';
import type { FlagValues } from '../../../src/config/layers/flags.js';
import { type Loaded, type LoadInput, loadConfig as loadFrom } from '../../../src/config/layers/load.js';
import type { Settings } from '../../../src/values/setting.js';

export interface LineInput extends Omit<LoadInput, 'flags'> {
  /** Flags, without a command. */
  readonly argv?: readonly string[];
}

export function loadConfig<S extends Settings>(settings: S, { argv = [], ...input }: LineInput): Loaded<S> {
  return loadFrom(settings, { ...input, flags: flagsIn(settings, argv) });
}

function flagsIn(settings: Settings, argv: readonly string[]): FlagValues {
  const command = { summary: '', settings, run: async () => 0 };
  const program = { root: { summary: '', commands: { command } }, version: '', width: 80 };
  const line = readLine(program, ['command', ...argv]);
  if (line.kind === 'misuse') throw new ConfigError(line.problems);
  if (line.kind === 'told') throw new Error(`no settings in ${argv.join(' ')}`);
  return line.flags;
}
