/** A command line from its words to an exit code. */
import { ConfigError } from '../../config/layers/config-error.js';
import { type Asked, type Command, CommandError, type CommandIo, FAILED, OK, USAGE } from './command.js';
import { PROGRAM, type Program, type Request, readLine } from './read.js';

/** Where no terminal says how wide it is. */
const WIDTH = 80;
const MAX_WIDTH = 100;

/** Failures are told on stderr: those that an operator can mend in sentences, all others with their stack. */
export async function runLine(
  { root, version }: Omit<Program, 'width'>,
  argv: readonly string[],
  io: CommandIo,
): Promise<number> {
  const width = Math.min(io.stdout.columns ?? WIDTH, MAX_WIDTH);
  const line = readLine({ root, version, width }, argv);
  if (line.kind === 'misuse') return refuse(line.problems, line, io);
  if (line.kind === 'request') return runRequest(line, io);
  io.stdout.write(`${line.text.trimEnd()}\n`);
  return OK;
}

async function runRequest(request: Request, io: CommandIo): Promise<number> {
  try {
    return (await request.command.run?.(askedOf(request, io))) ?? OK;
  } catch (error) {
    if (error instanceof ConfigError) return refuse(error.problems, request, io);
    const isOurs = error instanceof CommandError;
    say(isOurs ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error), io);
    return FAILED;
  }
}

function refuse(
  problems: readonly string[],
  { at, command }: Pick<Request, 'at' | 'command'>,
  io: CommandIo,
): number {
  const help = `${PROGRAM} ${at} --help`.replace('  ', ' ');
  for (const problem of problems) say(problem, io);
  say(`\`${help}\` ${command.commands ? 'lists the commands' : 'tells what it takes'}`, io);
  return USAGE;
}

function say(sentence: string, { stderr }: CommandIo): void {
  stderr.write(`${PROGRAM}: ${sentence}\n`);
}

function askedOf({ command, words, flags }: Request, io: CommandIo): Asked {
  return { words, flags, io, load: () => loadSettings(command, flags, io) };
}

/** Loaded here: most of the time that help and errors of use would take. */
async function loadSettings({ settings = {} }: Command, flags: Request['flags'], { env }: CommandIo) {
  const { loadConfig } = await import('../../config/layers/load.js');
  return loadConfig(settings, { flags, env });
}
