/** What may stand at the place of a command line where somebody asks for it. */
import type { Command } from '../command.js';
import { allFlags, type Flag, flagsOf } from '../options.js';

export interface Candidate {
  readonly word: string;
  /** What it means, in a few words; may be empty. */
  readonly about: string;
}

/** Words to choose from, or names that the shell knows. */
export type Candidates = readonly Candidate[] | 'files' | 'folders';

/** @param words behind the name of the program; the last one is being written, and may be empty. */
export function candidatesFor(root: Command, words: readonly string[]): Candidates {
  // Some shells part `--cpu=off` into three words.
  const whole = words.filter((word, i) => word !== '=' || i === words.length - 1);
  const current = whole.at(-1) === '=' ? '' : (whole.at(-1) ?? '');
  const { command, words: given, flag } = placeOf(root, whole.slice(0, -1));
  if (flag) return beginning(current, valuesOf(flag));
  const [, name, value] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined) return joined(name, value ?? '', root);
  if (current.startsWith('-')) return beginning(current, flagsIn(command));
  if (command.commands) return beginning(current, commandsIn(command));
  return beginning(current, wordsIn(command, given) ?? flagsIn(command, true));
}

interface Place {
  readonly command: Command;
  /** How many words that are neither commands nor flags. */
  readonly words: number;
  /** Whose value comes next. */
  readonly flag: Flag | undefined;
}

function placeOf(root: Command, words: readonly string[]): Place {
  const valued = new Map(
    allFlags(root).flatMap((flag) => (flag.isBoolean ? [] : [[`--${flag.flag}`, flag]])),
  );
  let place: Place = { command: root, words: 0, flag: undefined };
  for (const word of words) place = next(place, word, valued);
  return place;
}

function next({ command, words, flag }: Place, word: string, valued: ReadonlyMap<string, Flag>): Place {
  if (flag) return { command, words, flag: undefined };
  const { commands = {} } = command;
  const nested = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (nested) return { command: nested, words: 0, flag: undefined };
  if (word.startsWith('-')) return { command, words, flag: valued.get(word) };
  return { command, words: words + 1, flag: undefined };
}

function beginning(current: string, candidates: Candidates): Candidates {
  if (typeof candidates === 'string') return candidates;
  return candidates.filter(({ word }) => word.startsWith(current));
}

/** `--cpu=al` becomes `--cpu=always`. */
function joined(name: string, value: string, root: Command): Candidates {
  const flag = allFlags(root).find((each) => each.flag === name);
  const values = flag ? valuesOf(flag) : [];
  if (typeof values === 'string') return [];
  return values
    .filter(({ word }) => word.startsWith(value))
    .map(({ word, about }) => ({ word: `--${name}=${word}`, about }));
}

const NAMES: Readonly<Record<string, 'files' | 'folders'>> = {
  FILE: 'files',
  PATH: 'folders',
  FOLDER: 'folders',
};

function valuesOf({ shape, choices }: Flag): Candidates {
  return NAMES[shape] ?? (choices ?? []).map((word) => ({ word, about: '' }));
}

function commandsIn({ commands = {} }: Command): Candidate[] {
  return Object.entries(commands).flatMap(([word, { summary, hidden }]) =>
    hidden ? [] : [{ word, about: summary }],
  );
}

/** `undefined` where no word is left to be given. */
function wordsIn({ words = '' }: Command, given: number): Candidates | undefined {
  const taken = words.split(' ').filter(Boolean)[given];
  if (taken === undefined) return undefined;
  const name = taken.slice(1, -1);
  if (name === 'file') return 'files';
  return name.includes('|') ? name.split('|').map((word) => ({ word, about: '' })) : [];
}

/** @param few those that most people need. */
function flagsIn(command: Command, few = false): Candidate[] {
  const flags = flagsOf(command).filter(({ basic = false }) => basic || !few);
  const help = { word: '--help', about: 'what it takes' };
  return [...flags.flatMap((flag) => [on(flag), ...off(flag, few)]), help];
}

function on({ flag, help }: Flag): Candidate {
  return { word: `--${flag}`, about: help.split(/[.;:] |\.$/, 1)[0] ?? '' };
}

/** Of what is off by itself nobody needs it, unless a file says otherwise. */
function off({ flag, isBoolean, default: byDefault }: Flag, few: boolean): Candidate[] {
  return isBoolean && (byDefault || !few) ? [{ word: `--no-${flag}`, about: `without --${flag}` }] : [];
}
