/** Two payers on one set of books, interleaved 10,000 times. STRATUM_BRIDGE_TEST_STORIES and STRATUM_BRIDGE_TEST_SEED set other numbers. */
process.env['STRATUM_BRIDGE_TEST_STORIES'] ??= '100';
process.env['STRATUM_BRIDGE_TEST_SEED'] ??= String(Math.floor(Date.now() / 1000));
await import('../../payouts/together/two-payers.test.js');

export {};
