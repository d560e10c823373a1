/** How long what does no work takes, against a bare start of Node.js. */
import { spawnSync } from 'node:child_process';
import { MAIN } from '../helpers/processes/program.js';

export interface StartRow {
  readonly what: string;
  readonly ms: number;
  /** Against `node -e 0` of the same rounds. */
  readonly ofBareNode: number;
}

/** A person who asks for help should not wait for the database driver. */
const MOST_OF_BARE_NODE = 3;

const ASKED: Readonly<Record<string, readonly string[]>> = {
  '--version': ['--version'],
  '--help': ['--help'],
  'serve --help': ['serve', '--help'],
  'serve --help-all': ['serve', '--help-all'],
  'an error of use': ['serve', '--tpc', '1'],
  keygen: ['keygen'],
};

/** Runs from the compiled code; prints a table and a line of JSON. */
export async function benchStart({ rounds = 15 } = {}): Promise<readonly StartRow[]> {
  const runs = Object.entries(ASKED).map(([what, args]) => ({
    what,
    args: [MAIN, ...args],
    times: [] as number[],
  }));
  const bare = { what: 'node -e 0', args: ['-e', '0'], times: [] as number[] };
  // In turns, so that whatever else the machine does slows all of them alike.
  for (let round = 0; round < rounds; round++) {
    for (const { args, times } of [bare, ...runs]) times.push(timed(args));
  }
  const rows = [bare, ...runs].map(({ what, times }) => {
    const ms = median(times);
    return { what, ms, ofBareNode: ms / median(bare.times) };
  });
  report(rows);
  return rows;
}

function timed(args: readonly string[]): number {
  const from = performance.now();
  const { error } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (error) throw error;
  return performance.now() - from;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function report(rows: readonly StartRow[]): void {
  const { stdout } = process;
  for (const { what, ms, ofBareNode } of rows) {
    const missed = ofBareNode > MOST_OF_BARE_NODE ? `  over the bar of ${MOST_OF_BARE_NODE}` : '';
    stdout.write(
      `${what.padEnd(22)} ${ms.toFixed(0).padStart(6)} ms ${ofBareNode.toFixed(2).padStart(7)}x${missed}\n`,
    );
  }
  stdout.write(`\n${JSON.stringify({ bench: 'start', rows })}\n`);
}
