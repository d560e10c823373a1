import { defineConfig } from 'vitest/config';
import { LongFirst } from './helpers/runner/long-first.js';
import { TAGS } from './helpers/runner/vectors.js';

const ELSEWHERE = ['test/long/**', 'node_modules/**', 'dist/**'];
/** What looks at all that its process holds, or takes a clock from it. */
const ALONE = [
  'test/**/leak.test.ts',
  'test/cpu/cpu.test.ts',
  'test/devnode/bounds.test.ts',
  'test/stratum/week.test.ts',
];

const EACH = {
  // What needs it is named at the end, and mended.
  retry: process.env['CI'] ? 1 : 0,
  setupFiles: ['./test/helpers/runner/property-seed.ts', './test/helpers/runner/processor-time.ts'],
  tags: TAGS,
  // Generous, for machines that others keep busy: what holds ends long before, and what hangs is told within minutes.
  testTimeout: 300_000,
  hookTimeout: 600_000,
  // A second, which is the default, passes unused on a busy machine.
  expect: { poll: { timeout: 120_000 } },
};

export default defineConfig({
  test: {
    globalSetup: [
      './test/helpers/runner/nothing-left.ts',
      './test/helpers/runner/shared-postgres.ts',
      './test/helpers/runner/shared-chromium.ts',
    ],
    // Five more than Vitest takes on two cores: most tests wait for processes and sockets.
    maxWorkers: 6,
    sequence: { sequencer: LongFirst },
    reporters: ['default', './test/helpers/runner/totals-reporter.ts'],
    projects: [
      {
        test: {
          name: 'together',
          // A process takes one file after the other: to load all again for each was a tenth of the work.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...ELSEWHERE, ...ALONE],
          ...EACH,
        },
      },
      { test: { name: 'alone', include: ALONE, exclude: ELSEWHERE, ...EACH } },
    ],
  },
});
