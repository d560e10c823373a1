import { benchmarkKernels } from '../../../workers/benchmark.js';
import { type CommandIo, OK } from '../../cli/line/command.js';
import { formatHashRate } from '../../cli/screen/units.js';

/** A line for each kernel as soon as it is measured, and which of them would mine. */
export async function benchmark(seconds: number, { stdout }: CommandIo): Promise<number> {
  const write = (text: string, line: object): void =>
    void stdout.write(`${stdout.isTTY ? text : JSON.stringify(line)}\n`);
  const fastest = { kernel: '', hashesPerSecond: 0 };
  for await (const speed of benchmarkKernels(seconds)) {
    if (stdout.errored) return OK; // nobody reads on
    const { kernel, hashesPerSecond, fault } = speed;
    const shown = hashesPerSecond === undefined ? fault : formatHashRate(hashesPerSecond);
    write(`${kernel.padEnd(7)} ${shown}`, speed);
    if (hashesPerSecond && hashesPerSecond > fastest.hashesPerSecond)
      Object.assign(fastest, { kernel, hashesPerSecond });
  }
  write(`${fastest.kernel} is the fastest here, and mines where no other is set`, {
    fastest: fastest.kernel,
  });
  return OK;
}
