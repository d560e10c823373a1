import { formatHashRate } from '../../cli/screen/units.js';
import { countsText } from '../../operations/entry/columns.js';
import type { RigStatus } from '../../rig/rig.js';

/** The rig in a few lines for the person who watches it. */
export function statusLines(status: RigStatus): string[] {
  const total = status.hashesPerSecond.reduce((sum, rate) => sum + rate, 0);
  const threads = status.hashesPerSecond.map(formatHashRate).join(', ');
  const { job, submits, trouble } = status;
  const { accepted, rejected, unanswered, reasons } = submits;
  return [
    `  ${status.state}${status.url ? ` at ${status.url}` : ''}, nonce1 ${status.nonce1 || 'none yet'}`,
    `  hash rate  ${formatHashRate(total)}  (threads: ${threads})`,
    ...(trouble ? [`  trouble    ${trouble}`] : []),
    `  job        ${job ? `${job.id}: chain ${job.chainId}, height ${job.height}` : 'none yet'}`,
    `  submits    ${countsText({ accepted, rejected, unanswered }) || 'none yet'}`,
    ...reasons.map((reason) => `             ${JSON.stringify(reason)}`),
  ];
}
