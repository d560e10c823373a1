/** Whether jobs are worth a rig's time, judged by the order of things and by no clock. */
import type { HeaderFields } from '../../../src/core/work/header.js';
import { workKeyOf } from '../rigs/answer-log.js';

/**
 * Of jobs in the order in which a rig got them, those that the node never gave, and those of a work that the bridge had
 * given up for a newer one of that chain before: in words.
 *
 * @param works what the node of these jobs handed out since its start (`AnswerLog`): a job may have been on its way for long.
 */
export function deadJobs(jobs: readonly HeaderFields[], works: readonly string[]): string[] {
  /** Chain -> place of the newest work that the rig has seen for sure. */
  const newest = new Map<number, number>();
  const dead: string[] = [];
  for (const job of jobs) {
    const key = workKeyOf(job);
    const { chainId, height } = job;
    const first = works.indexOf(key);
    if (first < 0) dead.push(`chain ${chainId}, height ${height}: not of this node`);
    else if (works.lastIndexOf(key) < (newest.get(chainId) ?? -1))
      dead.push(`chain ${chainId}, height ${height}: given up before`);
    else newest.set(chainId, Math.max(newest.get(chainId) ?? -1, first));
  }
  return dead;
}
