import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'node_modules/**', 'dist/**'],
    // Generous, for machines that others keep busy: what holds ends long before.
    testTimeout: 600_000,
    // One more than Vitest takes on two cores: most tests wait for processes and sockets.
    maxWorkers: 2,
    // A second, which is the default, passes unused on a busy machine.
    expect: { poll: { timeout: 150_000 } },
    hookTimeout: 300_000,
    reporters: ['default', './test/helpers/totals-reporter.ts'],
  },
});
