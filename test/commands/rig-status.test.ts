import { expect, it } from 'vitest';
import { statusLines } from '../../src/commands/rig/status.js';

it('CU1: a rig that does not hash says why', () => {
  const status = {
    state: 'mining',
    url: 'tcp://pool:1917',
    nonce1: '0123',
    job: undefined,
    jobs: 1,
    connections: 1,
    submits: { accepted: 0, rejected: 0, unanswered: 0, reasons: [] },
    hashesPerSecond: [0],
    trouble: '1 of 1 threads fail: no memory',
  } as const;
  expect(statusLines(status)).toContain('  trouble    1 of 1 threads fail: no memory');
  expect(statusLines({ ...status, trouble: '' }).join()).not.toContain('trouble');
});
