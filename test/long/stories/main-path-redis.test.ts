/** The main path with its queue on Redis. */
process.env['BRIDGE_TEST_BACKEND'] = 'redis';
await import('../../e2e/main-path.test.js');

export {};
