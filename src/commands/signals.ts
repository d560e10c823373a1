/** Being told to stop: by a signal, by the end of who started us, or because nobody reads what we say. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];

/** A Ctrl-C under npm arrives twice, from the terminal and from npm: within this time it is one. */
const SAME_WISH_MS = 500;

export interface Stop {
  /** Resolves with the reason. */
  readonly asked: Promise<string>;
  /** Ends this process at once, in the manner in which it was asked to stop. */
  leave(): void;
}

/**
 * From now on the first signal asks for a stop in order, and a second one ends the process at once. Also the end of the
 * process that started it with an IPC channel asks for a stop, so that no child outlives a parent that was killed.
 */
export function watchForStop(nowMs: () => number = () => performance.now()): Stop {
  let wish: { signal: StopSignal; atMs: number } | undefined;
  const asked = new Promise<string>((resolve) => {
    const ask = (reason: string, signal: StopSignal): void => {
      wish ??= { signal, atMs: nowMs() };
      resolve(reason);
    };
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (wish && nowMs() - wish.atMs > SAME_WISH_MS) leave(signal);
        ask(signal, signal);
      });
    }
    process.once('disconnect', () => ask('parent ended', 'SIGTERM'));
    process.stdout.once('error', () => ask('nobody reads the output any more', 'SIGTERM'));
  });
  return { asked, leave: () => leave(wish?.signal ?? 'SIGTERM') };
}

/** For commands that never watch for a stop: a signal ends them as it would anyway, and what they started as well. */
export function leaveOnSignals(): void {
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) leave(signal);
    });
  }
}

/** Who closes the other end of a pipe wants no more, which is no failure. */
export function forgiveClosedOutput(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}

/**
 * Ends this process by a signal. `process.exit` waits for file operations that never return; a signal does not. Those
 * who listen for `exit` are told first: they end the processes that this one has started.
 */
function leave(signal: StopSignal): void {
  process.emit('exit', 1);
  for (const each of SIGNALS) process.removeAllListeners(each);
  process.kill(process.pid, signal);
}
