/** What a command line says, read by commander. Nothing is run, printed or loaded here. */
import { CommanderError, Option, Command as Parser } from 'commander';
import { ConfigError } from '../../config/layers/config-error.js';
import type { FlagValues } from '../../config/layers/flags.js';
import type { Command } from './command.js';
import { describeHelp, footOf, helpWithAll } from './help.js';
import { missingCommand, sentenceOf, unknownCommand, unknownFlag } from './misuse.js';
import { addOptions, allFlags, flagsOf, takenOnce, valuesOf } from './options.js';

export const PROGRAM = 'stratum-bridge';

/** Help or the version was asked for. */
interface Told {
  readonly kind: 'told';
  readonly text: string;
}

/** The command that was meant, and the words that name it: `ledger payout mark`, none for the program itself. */
interface Named {
  readonly at: string;
  readonly command: Command;
}

export interface Misuse extends Named {
  readonly kind: 'misuse';
  /** Sentences that name what is wrong. */
  readonly problems: readonly string[];
}

/** Something is to be done. */
export interface Request extends Named {
  readonly kind: 'request';
  readonly words: readonly string[];
  readonly flags: FlagValues;
}

type Line = Told | Misuse | Request;

export interface Program {
  /** The nested commands of it are those of the program. */
  readonly root: Command;
  readonly version: string;
  /** Columns for help. */
  readonly width: number;
}

/** How far the reading is: commander goes from command to command. */
interface Reading {
  parser: Parser;
  command: Command;
  /** What was printed. */
  text: string;
  request: Request | undefined;
}

const ALL = '--help-all';
const HELP = ['help', '--help', '-h'];

export function readLine({ root, version, width }: Program, argv: readonly string[]): Line {
  const flags = allFlags(root);
  const known = new Set([ALL, '--help', '-h', '--version', '-v', ...flags.map(({ flag }) => `--${flag}`)]);
  const parser = new Parser(PROGRAM);
  const reading: Reading = { parser, command: root, text: '', request: undefined };
  printInto(parser, reading, width);
  parser.version(version, '-v, --version');
  // Here are the flags of all commands, so that they may stand before and behind the words that name one.
  addOptions(parser, flags, known);
  addCommands(parser, root, reading, known);
  const words = spelt(argv);
  const problems = problemsOf(() => parser.parse(words, { from: 'user' }), reading);
  if (problems.length > 0) return { kind: 'misuse', problems, ...meantBy(words, root) };
  return reading.request ?? { kind: 'told', text: reading.text };
}

/**
 * Who says nothing wants help; `help ledger payout` is another way to say `ledger payout --help`, and so is
 * `ledger --help payout`, where commander would stop at the flag.
 */
function spelt(argv: readonly string[]): string[] {
  const [first = '--help', ...rest] = argv;
  if (HELP.includes(first)) return [...rest, '--help'];
  const words = argv.filter((word) => !word.startsWith('-'));
  const onlyHelp = argv.every((word) => words.includes(word) || HELP.includes(word));
  return onlyHelp && words.length < argv.length ? [...words, '--help'] : [...argv];
}

function printInto(parser: Parser, reading: Reading, width: number): void {
  parser
    .exitOverride()
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => {
        reading.text += text;
      },
      writeErr: () => {}, // what commander says of an error is said in our words
      getOutHelpWidth: () => width,
      getOutHasColors: () => false,
    });
}

function addCommands(parser: Parser, command: Command, reading: Reading, known: ReadonlySet<string>): void {
  const { commands } = command;
  describeHelp(parser, command);
  parser.addHelpText('after', footOf(command, parser.parent === null));
  parser.action(() => finish(parser, command, reading));
  if (!commands) {
    parser.addOption(new Option(ALL)).on('option:help-all', () => helpWithAll(parser, command));
    return;
  }
  for (const [name, { summary }] of Object.entries(commands)) parser.command(name).summary(summary);
  // Whatever is no command comes to the action, which says so.
  parser.argument('[command]').allowUnknownOption().allowExcessArguments();
  parser.hook('preSubcommand', (_, next) => {
    const nested = commands[next.name()];
    if (nested) enter(next, nested, reading, known);
  });
}

/** Only commands that are asked for get their options: there are thousands in all. */
function enter(parser: Parser, command: Command, reading: Reading, known: ReadonlySet<string>): void {
  Object.assign(reading, { parser, command });
  addOptions(parser, flagsOf(command), known);
  if (command.words) parser.arguments(command.words);
  addCommands(parser, command, reading, known);
}

/** The last word that names a command has been read. */
function finish(parser: Parser, command: Command, reading: Reading): void {
  const at = nameOf(parser);
  const [word] = parser.args;
  if (command.commands && word !== undefined) {
    if (word === ALL) helpWithAll(parser, command);
    const isFlag = word.startsWith('-');
    throw new ConfigError([isFlag ? unknownFlag(word, command, at) : unknownCommand(word, command)]);
  }
  if (!command.run) throw new ConfigError([missingCommand(command, at)]);
  const flags = takenOnce(command, Object.assign({}, ...lineageOf(parser).map(valuesOf)));
  const taken = new Set(flagsOf(command).map(({ flag }) => flag));
  const foreign = Object.keys(flags).filter((flag) => !taken.has(flag));
  if (foreign.length > 0) throw new ConfigError(foreign.map((flag) => unknownFlag(`--${flag}`, command, at)));
  reading.request = { kind: 'request', at, command, words: parser.args, flags };
}

/** From the program down to this one. */
function lineageOf(parser: Parser): Parser[] {
  return parser.parent ? [...lineageOf(parser.parent), parser] : [parser];
}

function nameOf(parser: Parser): string {
  const [, ...below] = lineageOf(parser);
  return below.map((each) => each.name()).join(' ');
}

function problemsOf(parse: () => unknown, reading: Reading): readonly string[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return []; // help or the version was printed
    return [sentenceOf(error, reading.command, nameOf(reading.parser))];
  }
}

/** Wherever the faulty flags stand: the command whose help is to be read. */
function meantBy(words: readonly string[], root: Command): Named {
  const names: string[] = [];
  let command = root;
  for (const word of words) {
    const { commands = {} } = command;
    const nested = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (!nested) continue;
    names.push(word);
    command = nested;
  }
  return { at: names.join(' '), command };
}
