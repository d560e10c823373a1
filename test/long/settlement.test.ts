/** The property test of settlement with a thousand stories for each scheme. BRIDGE_TEST_STORIES sets another number. */
process.env['BRIDGE_TEST_STORIES'] ??= '1000';
await import('../ledger/settlement/settlement-model.test.js');
