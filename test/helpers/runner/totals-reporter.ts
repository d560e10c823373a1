/**
 * Closes a run with one plain line of totals, so that a run without tests cannot pass for a good one; before it, one for
 * tests whose data is kept beside the project and was not there.
 */
import type { Reporter, TestModule } from 'vitest/node';

export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    let withoutVectors = 0;
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === 'pending' ? 'skipped' : state]++;
        if (state === 'skipped' && test.tags.includes('vectors')) withoutVectors++;
      }
      if (module.errors().length > 0) count.failed++;
    }
    process.stdout.write(`\n${leftOutLine(withoutVectors)}`);
    process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
  }
}

/** Empty when none was left out. */
export function leftOutLine(tests: number): string {
  if (tests === 0) return '';
  return `${tests === 1 ? '1 test needs' : `${tests} tests need`} ../shared/vectors: left out\n`;
}
