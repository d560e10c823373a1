/** What a process is told from outside: to stop, or to read its settings again. */
import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];

/** A Ctrl-C under npm arrives twice, from the terminal and from npm: within this time it is one. */
const SAME_WISH_MS = 500;

export interface Stop {
  /** Resolves with the reason. */
  readonly asked: Promise<string>;
  /** Ends this process at once: in the manner in which it was asked to stop, or as killed when nobody has asked. */
  leave(): void;
}

/** Of a terminal SIGHUP says that it has gone; where there is none it is the usual wish to read the settings again. */
function meansReload(signal: StopSignal): boolean {
  return signal === 'SIGHUP' && !isatty(0) && !isatty(1);
}

/** What calls `act` for each wish to read the settings again; at once for those that came since this was called. */
export function watchForReload(): (act: () => void) => void {
  let hasCome = false;
  let listener = (): void => {
    hasCome = true;
  };
  if (meansReload('SIGHUP')) process.on('SIGHUP', () => listener());
  return (act) => {
    listener = act;
    if (hasCome) act();
  };
}

/**
 * From now on the first signal asks for a stop in order, and a second one ends the process at once. Also the end of the
 * process that started it with an IPC channel asks for a stop, so that no child outlives a parent that was killed, and so
 * does the end of who reads its output.
 */
export function watchForStop(nowMs: () => number = () => performance.now()): Stop {
  let wish: { signal: StopSignal; atMs: number } | undefined;
  const asked = new Promise<string>((resolve) => {
    const ask = (reason: string, signal: StopSignal): void => {
      wish ??= { signal, atMs: nowMs() };
      resolve(reason);
    };
    for (const signal of SIGNALS.filter((each) => !meansReload(each))) {
      process.on(signal, () => {
        if (wish && nowMs() - wish.atMs > SAME_WISH_MS) leave(signal);
        ask(signal, signal);
      });
    }
    const orphaned = (): void => ask('parent ended', 'SIGTERM');
    process.once('disconnect', orphaned);
    // Before it listened for that: without a channel it was never connected.
    if (process.connected === false) orphaned();
    watchOutput(() => ask('nobody reads the output any more', 'SIGTERM'));
  });
  return { asked, leave: () => leave(wish?.signal ?? 'SIGKILL') };
}

const DISK_FULL = ['ENOSPC', 'EDQUOT'];

/** A log on a disk that is full lacks lines, which is no reason to stop what it tells of. */
function watchOutput(hasEnded: () => void): void {
  let isTold = false;
  process.stdout.on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
    if (!DISK_FULL.includes(code)) return hasEnded();
    if (!isTold) process.stderr.write(`stratum-bridge: the log lacks lines from now on: ${message}\n`);
    isTold = true;
  });
}

/**
 * For commands that never watch for a stop, or not yet: a signal ends them as it would anyway, and what they started as
 * well. A service that has just begun reads its settings in a moment, and is not to be ended by the wish that it do so.
 */
export function leaveOnSignals(): void {
  for (const signal of SIGNALS.filter((each) => !meansReload(each))) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) leave(signal);
    });
  }
  if (meansReload('SIGHUP')) process.on('SIGHUP', () => {});
}

/** Who closes the other end of a pipe, or the window of a terminal, wants no more, which is no failure. */
export function forgiveClosedOutput(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.on('exit', () => {
    // Node.js puts terminals right when it ends, and aborts where one has gone that is not closed.
    for (const fd of terminals.splice(0)) if (!isatty(fd)) closeSync(fd);
  });
}

/**
 * Ends this process by a signal. `process.exit` waits for file operations that never return; a signal does not. Those
 * who listen for `exit` are told first: they end the processes that this one has started.
 */
function leave(signal: StopSignal | 'SIGKILL'): void {
  process.emit('exit', 1);
  for (const each of SIGNALS) process.removeAllListeners(each);
  process.kill(process.pid, signal);
}
