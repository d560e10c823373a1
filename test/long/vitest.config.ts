import { defineConfig } from 'vitest/config';

/** The long form of what `npm test` shows in short: run by `npm run test:long`, after a build. */
export default defineConfig({
  test: {
    globalSetup: ['./test/helpers/runner/shared-postgres.ts'],
    include: ['test/long/**/*.test.ts'],
    testTimeout: 3_600_000,
    // One after the other: they ask for fresh work within two seconds, and load processors and disk on purpose.
    fileParallelism: false,
    // A second, which is the default, passes unused on a busy machine.
    expect: { poll: { timeout: 150_000 } },
    hookTimeout: 300_000,
    reporters: ['default', './test/helpers/runner/totals-reporter.ts'],
  },
});
