/** Random days of payouts, longer and more of them. STRATUM_BRIDGE_TEST_DAYS sets another number. */
process.env['STRATUM_BRIDGE_TEST_DAYS'] ??= '150';
process.env['STRATUM_BRIDGE_TEST_STEPS'] ??= '30';
await import('./together/days.test.js');

export {};
