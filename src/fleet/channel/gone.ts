/** When the other process of a channel has ended. */
import type { ChildProcess } from 'node:child_process';

/** Between two looks. */
const LOOK_MS = 250;

/**
 * Tells once when the other process is gone. Node.js emits `disconnect` for that, but never where a connection was on its way over the
 * channel that the other one had not taken yet.
 */
export function onGone(end: ChildProcess | NodeJS.Process, listener: () => void): void {
  const tell = (): void => {
    clearInterval(timer);
    end.off('disconnect', tell);
    listener();
  };
  const timer = setInterval(() => end.connected || tell(), LOOK_MS);
  timer.unref();
  end.once('disconnect', tell);
}
