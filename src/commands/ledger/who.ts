/** Who runs this command, for the timeline: a user of this machine. */
import { hostname, userInfo } from 'node:os';

export function whoRuns(): string {
  return `${userName()} at ${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name, as containers may have.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
