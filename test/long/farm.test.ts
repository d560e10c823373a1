/** The same with as many good rigs as a farm has. */
process.env['BRIDGE_TEST_FARM'] = '500';
await import('./stories/rig-farm.test.js');
