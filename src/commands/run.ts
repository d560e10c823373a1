/** A command from its words to its exit code. */
import { ConfigError } from '../config/load.js';
import { type Command, CommandError, type CommandIo, FAILED, OK, USAGE } from './command.js';

/** Failures are told on stderr: those that an operator can mend in sentences, all others with their stack. */
export async function runCommand(
  name: string,
  command: Command,
  argv: readonly string[],
  io: CommandIo,
): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout.write(`${command.help().trimEnd()}\n`);
    return OK;
  }
  try {
    return await command.run(argv, io);
  } catch (error) {
    for (const line of explain(name, error)) io.stderr.write(`stratum-bridge: ${line}\n`);
    return error instanceof ConfigError ? USAGE : FAILED;
  }
}

function explain(name: string, error: unknown): readonly string[] {
  if (error instanceof ConfigError)
    return [...error.problems, `\`stratum-bridge ${name} --help\` tells what it takes`];
  if (error instanceof CommandError) return [error.message];
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}
