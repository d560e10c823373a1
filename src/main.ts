#!/usr/bin/env node
/** The command line: `stratum-bridge COMMAND [options]`. */
import { type Command, FAILED, OK, USAGE } from './commands/command.js';
import { runCommand } from './commands/run.js';
import { forgiveClosedOutput, leaveOnSignals } from './commands/signals.js';
import { readVersion } from './config/version.js';

const COMMANDS: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
  demo: () => import('./commands/demo.js'),
  serve: () => import('./commands/serve.js'),
  recorder: () => import('./commands/recorder.js'),
  rig: () => import('./commands/rig.js'),
  node: () => import('./commands/node.js'),
  ledger: () => import('./commands/ledger.js'),
  keygen: () => import('./commands/keygen.js'),
  config: () => import('./commands/config.js'),
  doctor: () => import('./commands/doctor.js'),
};

async function main(argv: readonly string[]): Promise<number> {
  const [name = '--help', ...rest] = argv;
  if (name === '--version' || name === '-v') return say(readVersion());
  if (name === '--help' || name === '-h' || name === 'help') return say(await overview());
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    const sentence = `there is no command ${JSON.stringify(name)}; \`stratum-bridge --help\` lists them`;
    process.stderr.write(`stratum-bridge: ${sentence}\n`);
    return USAGE;
  }
  return runCommand(name, (await load()).command, rest, process);
}

async function overview(): Promise<string> {
  const lines = ['Usage: stratum-bridge COMMAND [options]', '', 'Commands:'];
  for (const [name, load] of Object.entries(COMMANDS)) {
    lines.push(`  ${name.padEnd(8)} ${(await load()).command.summary}`);
  }
  return [...lines, '', '`stratum-bridge COMMAND --help` tells more of each.'].join('\n');
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return OK;
}

leaveOnSignals();
forgiveClosedOutput();
// A fault that no loop has caught: better an end with a sentence than half a bridge.
process.on('uncaughtException', (error) => {
  process.stderr.write(
    `stratum-bridge: an unexpected error ends this process, please report it: ${stackOf(error)}\n`,
  );
  process.exit(FAILED);
});

process.exitCode = await main(process.argv.slice(2));
// The channel to a parent would keep a finished process alive.
if (process.connected) process.disconnect();
