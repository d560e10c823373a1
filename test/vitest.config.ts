import { defineConfig } from 'vitest/config';
import { LongFirst } from './helpers/long-first.js';
import { vectorsArePresent } from './helpers/vectors.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    tags: [
      {
        name: 'vectors',
        description: 'Needs ../shared/vectors, data of real chains',
        skip: !vectorsArePresent,
      },
    ],
    globalSetup: ['./test/helpers/nothing-left.ts'],
    exclude: ['test/long/**', 'node_modules/**', 'dist/**'],
    // Generous, for machines that others keep busy: what holds ends long before.
    testTimeout: 1_200_000,
    // Five more than Vitest takes on two cores: most tests wait for processes and sockets.
    maxWorkers: 6,
    sequence: { sequencer: LongFirst },
    // A second, which is the default, passes unused on a busy machine.
    expect: { poll: { timeout: 300_000 } },
    hookTimeout: 600_000,
    reporters: ['default', './test/helpers/totals-reporter.ts'],
  },
});
