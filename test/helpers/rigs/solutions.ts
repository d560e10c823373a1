/** Solutions as the judge would hand them over: every hash meets a block target of difficulty 1. */
import { JobBook } from '../../../src/core/jobs/job.js';
import { hashSubmit, type Solution } from '../../../src/core/shares/share.js';
import { makeWork, type WorkOptions } from './works.js';

export function makeSolution(fields: Partial<Solution> = {}, work: WorkOptions = {}, nonce = 1n): Solution {
  const job = new JobBook(1).add(makeWork({ difficulty: 1n, ...work }), 'http://node');
  const { header, powHash } = hashSubmit(job, nonce);
  return { job, header, nonce, powHash, account: 'k:a', rig: 'r1', foundAtMs: 1_700_000_000_000, ...fields };
}
