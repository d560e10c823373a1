/** What is wrong with a command line, in sentences. */
import type { CommanderError, Command as Parser } from 'commander';
import { nearest } from '../../config/layers/suggest.js';
import type { Command } from './command.js';
import { flagsOf, missingValue } from './options.js';

/** @param at the words that name the command at which commander stopped; none for the program itself. */
export function sentenceOf(
  { code, message }: CommanderError,
  command: Command,
  at: string,
  { args, registeredArguments }: Parser,
): string {
  const named = /'(.*)'/s.exec(message)?.[1] ?? '';
  const [flag = '', shape = ''] = named.split(/[ <>]+/);
  switch (code) {
    case 'commander.unknownOption':
      return unknownFlag(named, command, at);
    case 'commander.optionMissingArgument':
      return missingValue(flag, shape);
    case 'commander.missingArgument':
      return `${at} needs ${command.words}: <${named}> is missing`;
    case 'commander.excessArguments':
      return tooMany(at, args[registeredArguments.length] ?? '');
    default:
      return message.replace(/^error: /, '');
  }
}

function tooMany(at: string, word: string): string {
  const advice = word === 'true' || word === 'false' ? '; a flag is switched off by --no-FLAG' : '';
  return `${at}: ${JSON.stringify(word)} is one word too many${advice}`;
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
  if (same) return `${says}; write --${name} ${same.shape}`;
  const meant = nearest(name, [...flags.map((each) => each.flag), 'help', 'version']);
  return meant ? `${says}; did you mean --${meant}?` : says;
}
