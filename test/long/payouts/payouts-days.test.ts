/** Random days of payouts, longer and more of them. BRIDGE_TEST_DAYS sets another number. */
process.env['BRIDGE_TEST_DAYS'] ??= '150';
process.env['BRIDGE_TEST_STEPS'] ??= '30';
await import('./together/days.test.js');

export {};
