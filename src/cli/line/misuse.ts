/** What is wrong with a command line, in sentences. */
import type { CommanderError } from 'commander';
import { nearest } from '../../config/layers/suggest.js';
import { flagOf } from '../../config/show/help.js';
import type { Command } from './command.js';
import { flagsOf } from './options.js';

/** @param at the words that name the command at which commander stopped; none for the program itself. */
export function sentenceOf({ code, message }: CommanderError, command: Command, at: string): string {
  const [, named = ''] = /'(.*)'/s.exec(message) ?? [];
  return code === 'commander.unknownOption'
    ? unknownFlag(named, command, at)
    : message.replace(/^error: /, '');
}

export function unknownCommand(word: string, command: Command): string {
  const names = namesOf(command);
  const meant = nearest(word, names);
  const advice = meant ? `did you mean ${meant}?` : `there are ${names.join(', ')}`;
  return `there is no command ${JSON.stringify(word)}; ${advice}`;
}

export function missingCommand(command: Command, at: string): string {
  return `${at} needs a command: ${namesOf(command).join(', ')}`;
}

function namesOf({ commands = {} }: Command): string[] {
  return Object.keys(commands);
}

/** @param word with its dashes, and perhaps with a value. */
export function unknownFlag(word: string, command: Command, at: string): string {
  const [flag = ''] = word.split('=', 1);
  const name = flag.replace(/^-+(no-)?/, '');
  const flags = flagsOf(command);
  const same = flags.find((each) => each.flag === name);
  if (same?.isBoolean) return `${word}: it is switched on by --${name}, and off by --no-${name}`;
  const says = at ? `${at} takes no ${flag}` : `there is no flag ${flag}`;
  if (same) return `${says}; write ${flagOf(name, same)}`;
  const meant = nearest(name, [...flags.map((each) => each.flag), 'help', 'version']);
  return meant ? `${says}; did you mean --${meant}?` : says;
}
