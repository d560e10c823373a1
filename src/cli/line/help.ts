/** The help of a command, made from its declaration and laid out by commander. */

import { Help, Option, type Command as Parser } from 'commander';
import { ConfigError } from '../../config/layers/config-error.js';
import { environmentName, flagName } from '../../config/names.js';
import { flagOf, showDefault } from '../../config/show/help.js';
import type { Setting } from '../../values/setting.js';
import type { Command } from './command.js';
import { unknownCommand } from './misuse.js';
import { FILE_FLAG, flagsOf } from './options.js';

/** By the first part of a key; what has none here stands under "Options". */
const GROUPS: Readonly<Record<string, string>> = {
  ...{ node: 'Node', work: 'Node', miner: 'Account', stratum: 'Rigs', cpu: 'CPU' },
  ...{ instance: 'Books', processes: 'Books', dataDir: 'Books', replace: 'Books' },
  ...{ queue: 'Books', shares: 'Books', ledger: 'Books', rewards: 'Books', payouts: 'Books' },
  ...{ web: 'Web and log', log: 'Web and log', alerts: 'Web and log', events: 'Web and log' },
};
const GENERAL = 'General:';

/** @param all also the settings that few people need, and their names in files and variables. */
export function describeHelp(parser: Parser, command: Command, all = false): void {
  parser
    .usage(`${wordsOf(command)} [options]`.trim())
    .description(command.about ?? command.summary)
    .configureHelp({
      visibleOptions: () => [...settingsIn(command, all), ...generalIn(command, all)],
      subcommandTerm: (nested) =>
        `${nested.name()} ${command.commands?.[nested.name()]?.words ?? ''}`.trimEnd(),
      formatHelp: (asked, helper) => {
        const [word] = asked.args;
        if (command.commands && word && !word.startsWith('-'))
          throw new ConfigError([unknownCommand(word, command)]);
        return new Help().formatHelp(asked, helper);
      },
      ...(all && !command.commands ? { formatItem: onTwoLines } : {}),
    });
}

function wordsOf({ commands, words = '', run }: Command): string {
  if (!commands) return words;
  return run ? '[COMMAND]' : 'COMMAND';
}

/** Shows every setting, and ends the reading. */
export function helpWithAll(parser: Parser, command: Command): never {
  describeHelp(parser, command, true);
  return parser.help();
}

/** What stands below the help. */
export function footOf(command: Command, isProgram: boolean): string {
  if (isProgram)
    return '\n`stratum-bridge COMMAND --help` tells more of each,\n`stratum-bridge --version` which one this is.';
  const { examples = [] } = command;
  const units = shownIn(command, false).some(([, { unit = 'count' }]) => unit !== 'count');
  return [
    ...(units ? [`\n${UNITS}`] : []),
    ...(examples.length > 0 ? ['\nExamples:', ...examples.map((line) => `  stratum-bridge ${line}`)] : []),
  ].join('\n');
}

const UNITS = 'Numbers take units: 250ms, 30s, 5m, 1h, 2d; 16KiB, 1MB; 1%; 10k, 4T, 4e12.';

function onTwoLines(term: string, _width: number, description: string, helper: Help): string {
  const lines = helper.boxWrap(description, (helper.helpWidth ?? 80) - 6).split('\n');
  return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join('\n');
}

function settingsIn(command: Command, all: boolean): Option[] {
  return shownIn(command, all).map(([key, setting]) => {
    const option = new Option(flagOf(flagName(key), setting), setting.help);
    const byDefault = showDefault(setting);
    if (byDefault !== 'none') option.default(byDefault, byDefault);
    if (all && !setting.flagOnly) option.env(`${environmentName(key)}, in a file ${key}`);
    return option.helpGroup(`${groupOf(key)}:`);
  });
}

function groupOf(key: string): string {
  const [section = ''] = key.split('.');
  return (Object.hasOwn(GROUPS, section) ? GROUPS[section] : undefined) ?? 'Options';
}

function shownIn({ settings = {} }: Command, all: boolean): [string, Setting][] {
  return Object.entries(settings).filter(
    ([, { noFlag, flagOnly, basic }]) => !noFlag && (all || flagOnly || basic),
  );
}

function generalIn(command: Command, all: boolean): Option[] {
  if (command.commands && !command.settings) return [];
  const left = shownIn(command, true).length - shownIn(command, all).length;
  const takesFile = flagsOf(command).includes(FILE_FLAG);
  const options = [
    ...(takesFile ? [new Option(flagOf(FILE_FLAG.flag, FILE_FLAG), FILE_FLAG.help)] : []),
    ...(left > 0
      ? [new Option('--help-all', `all settings, ${left} more, with their keys and variables`)]
      : []),
    new Option('-h, --help', 'this page'),
  ];
  return options.map((option) => option.helpGroup(GENERAL));
}
