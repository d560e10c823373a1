/** The same with as many good rigs as a farm has. */
process.env['STRATUM_BRIDGE_TEST_FARM'] = '500';
await import('./stories/rig-farm.test.js');
