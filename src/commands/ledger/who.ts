/** Who runs this command, for the timeline: a user of this machine. */
import { hostname } from 'node:os';
import { userName } from '../../cli/line/user.js';

export function whoRuns(): string {
  return `${userName()} at ${hostname()}`;
}
