/** The leak test with 10,000 rigs. */
process.env['RIGS'] = '10000';
await import('../stratum/leak.test.js');
