#!/usr/bin/env node
/** The command line: `stratum-bridge COMMAND [options]`. */
import { FAILED } from './cli/line/command.js';
import { runLine } from './cli/line/run.js';
import { forgiveClosedOutput, leaveOnSignals } from './cli/service/signals.js';
import { ROOT } from './commands/commands.js';
import { readVersion } from './config/version.js';

leaveOnSignals();
forgiveClosedOutput();
// A fault that no loop has caught: better an end with a sentence than half a bridge.
process.on('uncaughtException', (error) => {
  process.stderr.write(
    `stratum-bridge: an unexpected error ends this process, please report it: ${stackOf(error)}\n`,
  );
  process.exit(FAILED);
});

process.exitCode = await runLine({ root: ROOT, version: readVersion() }, process.argv.slice(2), process);
// The channel to a parent would keep a finished process alive.
if (process.connected) process.disconnect();

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
