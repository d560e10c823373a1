/**
 * Closes a run with the ten slowest files, with the tests that passed only when they were tried once more or failed, and
 * with one plain line of totals, so that a run without tests cannot pass for a good one; before it, one for tests whose data is
 * kept beside the project and was not there.
 */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

const SLOWEST = 10;
const ERROR_LINES = 5;
const ERROR_WIDTH = 200;

export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    const flaky: Failure[] = [];
    const failed: Failure[] = [];
    let withoutVectors = 0;
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === 'pending' ? 'skipped' : state]++;
        if (state === 'skipped' && test.tags.includes('vectors')) withoutVectors++;
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        // One of each try: the second may fail for what the first has left behind.
        const errors = (test.result().errors ?? []).map(({ message }) => ({ name, error: message }));
        if (test.diagnostic()?.flaky) flaky.push(...errors);
        if (state === 'failed') failed.push(...errors);
      }
      // As one that cannot be read, or whose fixtures fail.
      const [error] = [module, ...module.children.allSuites()].flatMap((each) => each.errors());
      if (error) {
        count.failed++;
        failed.push({ name: module.relativeModuleId, error: error.message });
      }
    }
    // In no test's count, but the run fails for it.
    count.failed += unhandled.length;
    failed.push(...unhandled.map(unhandledFailure));
    const files = modules.map((module) => ({
      name: module.relativeModuleId,
      processorMs: module.meta().processorMs ?? 0,
      wallMs: module.diagnostic().duration,
    }));
    process.stdout.write(
      `\n${slowestLines(files)}${flakyLines(flaky)}${failedLines(failed)}${leftOutLine(withoutVectors)}`,
    );
    process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
  }
}

export interface FileTime {
  readonly name: string;
  /** 0 where it is not known. */
  readonly processorMs: number;
  readonly wallMs: number;
}

/** By processor time: what a file waits for costs the others nothing. */
export function slowestLines(files: readonly FileTime[]): string {
  const slowest = files
    .toSorted((a, b) => b.processorMs - a.processorMs || b.wallMs - a.wallMs)
    .slice(0, SLOWEST);
  const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(6);
  return `slowest files (seconds of processor, and in all):\n${slowest
    .map(({ name, processorMs, wallMs }) => `${seconds(processorMs)} ${seconds(wallMs)}  ${name}\n`)
    .join('')}`;
}

/** With what the first try failed; empty when no test needed a second one. */
export function flakyLines(tries: readonly Failure[]): string {
  if (tries.length === 0) return '';
  return `flaky (passed when tried once more):\n${tries.map(linesOf).join('')}`;
}

export interface Failure {
  readonly name: string;
  readonly error: string;
}

/** Of a promise that was rejected with nobody waiting for it, or an error thrown to nobody: vitest knows what ran. */
export function unhandledFailure(error: SerializedError): Failure {
  const { VITEST_TEST_PATH: file, VITEST_TEST_NAME: test } = error;
  const ran = [typeof file === 'string' ? relative('', file) : undefined, test];
  return {
    name: ['unhandled', ...ran.filter((part) => typeof part === 'string')].join(', '),
    error: error.stack || error.message,
  };
}

/** Empty when none failed. Of each error the first lines: all of it stands above. */
export function failedLines(failures: readonly Failure[]): string {
  if (failures.length === 0) return '';
  return `failed:\n${failures.map(linesOf).join('')}`;
}

function linesOf({ name, error }: Failure): string {
  const said = stripVTControlCharacters(error).split('\n').slice(0, ERROR_LINES);
  return `  ${name}\n${said.map((line) => `    ${line.slice(0, ERROR_WIDTH)}\n`).join('')}`;
}

/** Empty when none was left out. */
export function leftOutLine(tests: number): string {
  if (tests === 0) return '';
  return `${tests === 1 ? '1 test needs' : `${tests} tests need`} ../shared/vectors: left out\n`;
}
