import { benchmarkKernels } from '../../../workers/benchmark.js';
import { type CommandIo, OK } from '../../cli/line/command.js';
import { formatHashRate } from '../../cli/screen/units.js';

/** A line for each kernel as soon as it is measured. */
export async function benchmark(seconds: number, { stdout }: CommandIo): Promise<number> {
  for await (const speed of benchmarkKernels(seconds)) {
    if (stdout.errored) break; // nobody reads on
    const { kernel, hashesPerSecond, fault } = speed;
    const text = `${kernel.padEnd(7)} ${hashesPerSecond === undefined ? fault : formatHashRate(hashesPerSecond)}`;
    stdout.write(`${stdout.isTTY ? text : JSON.stringify(speed)}\n`);
  }
  return OK;
}
