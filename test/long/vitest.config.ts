import { defineConfig } from 'vitest/config';
import { TAGS } from '../helpers/runner/vectors.js';

/** What `.ci/run` runs after `npm test`: stories in which money or shares could be lost. At most 20 minutes on two cores. */
const IN_CI = [
  'test/long/database-away.test.ts',
  'test/long/faults.test.ts',
  'test/long/settlement.test.ts',
  'test/long/books-model.test.ts',
  'test/long/payer-histories.test.ts',
  'test/long/chain/ledger-histories.test.ts',
  // The files of `config/deploy/machines` as they are: nothing else shows that a rig gets through.
  'test/long/machines/machines.test.ts',
];
/** As much of them as CI has time for, the same in each run. `test:long` does more, with other seeds. */
const SIZES_IN_CI = {
  BRIDGE_TEST_KILLS: '20',
  BRIDGE_TEST_STORIES: '60',
  BRIDGE_TEST_HISTORIES: '30',
  BRIDGE_TEST_SEED: '24',
};

/** Where nothing else is asked for; `stories` takes the least. */
const SIZES_OF_LONG = { STRATUM_BRIDGE_TEST_HOURS: process.env['STRATUM_BRIDGE_TEST_HOURS'] ?? '24' };

/** They wait for processes and sockets, and run beside each other, as those of `npm test`. All of them are in CI. */
const BESIDE_EACH_OTHER = [
  'test/long/stories/*.test.ts',
  'test/long/faults/*.test.ts',
  'test/long/payouts/*.test.ts',
  'test/long/chain/{away,other-chains}.test.ts',
];

const EACH = {
  tags: TAGS,
  setupFiles: ['./test/helpers/runner/processor-time.ts'],
  testTimeout: 3_600_000,
  hookTimeout: 300_000,
  // A second, which is the default, passes unused on a busy machine.
  expect: { poll: { timeout: 150_000 } },
  // What needs it is named at the end, and mended.
  retry: process.env['CI'] ? 1 : 0,
};

/** In each run of CI with the same values of properties, and what hangs is told long before CI gives up. */
const ALIKE = {
  ...EACH,
  setupFiles: ['./test/helpers/runner/property-seed.ts', ...EACH.setupFiles],
  testTimeout: 900_000,
};

/** What takes minutes: `npm run test:long` runs all of it, `npm run test:ci-long` a fixed part. */
export default defineConfig({
  test: {
    globalSetup: ['./test/helpers/runner/shared-postgres.ts', './test/helpers/runner/shared-chromium.ts'],
    // One after the other: they ask for fresh work within two seconds, and load processors and disk on purpose.
    fileParallelism: false,
    reporters: ['default', './test/helpers/runner/totals-reporter.ts'],
    projects: [
      {
        test: {
          name: 'ci',
          include: IN_CI,
          env: SIZES_IN_CI,
          ...ALIKE,
        },
      },
      {
        test: {
          name: 'stories',
          include: BESIDE_EACH_OTHER,
          ...ALIKE,
          isolate: false,
          fileParallelism: true,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { name: 'long', include: ['test/long/**/*.test.ts'], env: SIZES_OF_LONG, ...EACH } },
    ],
  },
});
