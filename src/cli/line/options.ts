/** Settings as options of a command line, and what was said with them. */

import { InvalidArgumentError, Option, type Command as Parser } from 'commander';
import { CONFIG_FLAG, type FlagValues } from '../../config/layers/flags.js';
import { flagName } from '../../config/names.js';
import type { Setting } from '../../values/setting.js';
import type { Command } from './command.js';

interface Flag
  extends Pick<Setting, 'shape' | 'help' | 'default' | 'choices' | 'isBoolean' | 'basic' | 'repeatable'> {
  /** Without the leading dashes. */
  readonly flag: string;
}

/** Of every command that has settings which a file may set. */
export const FILE_FLAG: Flag = {
  flag: CONFIG_FLAG,
  shape: 'FILE',
  help: 'a YAML or JSON file of settings',
  default: '',
  basic: true,
};

/** Every flag of a command, in the order of its settings; some settings have none. */
export function flagsOf({ settings = {} }: Command): Flag[] {
  const flags = Object.entries(settings).flatMap(([key, setting]) =>
    setting.noFlag ? [] : { ...setting, flag: flagName(key) },
  );
  return Object.values(settings).some(({ flagOnly }) => !flagOnly) ? [...flags, FILE_FLAG] : flags;
}

/** Those of a command and of all below it, each once; repeatable where it is so for one of them. */
export function allFlags(command: Command): Flag[] {
  const nested = Object.values(command.commands ?? {}).flatMap(allFlags);
  const byName = new Map<string, Flag>();
  for (const flag of [...nested, ...flagsOf(command)]) {
    const isRepeatable = flag.repeatable || byName.get(flag.flag)?.repeatable;
    byName.set(flag.flag, isRepeatable ? { ...flag, repeatable: true } : flag);
  }
  return [...byName.values()];
}

/** With the last value alone of what this command takes once, and another one more often. */
export function takenOnce(command: Command, given: FlagValues): FlagValues {
  const once = flagsOf(command).filter(({ repeatable }) => !repeatable);
  const lists = once.flatMap(({ flag }) => {
    const value = given[flag];
    return Array.isArray(value) ? [[flag, value.at(-1)] as const] : [];
  });
  return { ...given, ...Object.fromEntries(lists) };
}

/** @param known flags, with their dashes, none of which is the value of another. */
export function addOptions(parser: Parser, flags: readonly Flag[], known: ReadonlySet<string>): void {
  for (const flag of flags) {
    if (flag.isBoolean)
      parser.addOption(new Option(`--${flag.flag}`)).addOption(new Option(`--no-${flag.flag}`));
    else parser.addOption(new Option(`--${flag.flag} <${flag.shape}>`).argParser(reader(flag, known)));
  }
}

function reader({ repeatable }: Flag, known: ReadonlySet<string>) {
  return (value: string, before: unknown): string | string[] => {
    if (known.has(value.split('=', 1)[0] ?? '')) throw new InvalidArgumentError('It is a flag itself.');
    return repeatable ? [...(Array.isArray(before) ? before : []), value] : value;
  };
}

/** What was given to this parser, by flag without dashes. */
export function valuesOf(parser: Parser): FlagValues {
  const values: Record<string, unknown> = {};
  for (const option of parser.options) {
    const name = option.attributeName();
    if (parser.getOptionValueSource(name) === 'cli')
      values[option.name().replace(/^no-/, '')] = parser.getOptionValue(name);
  }
  return values;
}
