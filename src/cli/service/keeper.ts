/** What is left of a process that others have taken the place of, one after the other: it watches over the last one. */
import type { SocketHandle } from '../../core/names/listening.js';
import type { Child, OwnSocket } from './child.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Start = (sockets: readonly OwnSocket[]) => Promise<Child>;

/** Lets `first` begin. Resolves with the exit code of the last one. */
export async function keep(first: Child, start: Start): Promise<number> {
  const living = new Set([first]);
  forwardSignals((signal) => {
    for (const child of living) child.kill(signal);
  });
  for (let child = first; ; ) {
    const next = successorOf(child, start, living);
    child.say({ go: true });
    const code = await child.exit;
    living.delete(child);
    const following = next();
    if (!following) return code;
    child = following;
  }
}

/** From now on all that this process is told is told to those that follow it. */
function forwardSignals(pass: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal);
    process.on(signal, () => pass(signal));
  }
  process.removeAllListeners('disconnect');
  process.once('disconnect', () => pass('SIGTERM'));
}

/** Starts one when `child` asks for it. @returns what gives that one, as it stands. */
function successorOf(child: Child, start: Start, living: Set<Child>): () => Child | undefined {
  let wanted: OwnSocket[] = [];
  let missing = 0;
  let next: Child | undefined;
  const begin = async (): Promise<void> => {
    const sockets = wanted;
    try {
      next = await start(sockets);
      living.add(next);
      child.say({ prepared: next.pid });
    } catch (error) {
      child.say({ failed: (error as Error).message });
    } finally {
      for (const { handle } of sockets) handle.close();
    }
  };
  child.onWord((word, handle) => {
    if ('replace' in word) {
      wanted = word.replace.map((socket) => ({ ...socket, handle: NONE }));
      missing = wanted.length;
    }
    if ('socket' in word) {
      const socket = wanted[word.socket];
      if (socket && handle) wanted[word.socket] = { ...socket, handle: handle as SocketHandle };
      missing--;
    }
    if ('dismissed' in word) {
      next?.kill('SIGTERM');
      next = undefined;
    }
    if (('replace' in word || 'socket' in word) && missing === 0) void begin();
  });
  return () => next;
}

/** Until it has come. */
const NONE: SocketHandle = { fd: -1, close: () => undefined };
