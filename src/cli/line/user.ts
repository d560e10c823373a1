/** The user of this machine who runs this command. */
import { userInfo } from 'node:os';

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name, as containers may have.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
