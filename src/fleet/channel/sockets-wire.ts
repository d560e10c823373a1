/** Connections that one process hands to another: before a byte of them was read, with the name of the port they came in by. */
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { onGone } from './gone.js';

interface Handed {
  readonly socketOf: string;
}

/** Whether the message came with a connection: the channel leaves it alone. */
export function isHanded(message: unknown): message is Handed {
  return typeof message === 'object' && message !== null && 'socketOf' in message;
}

/** `false` where it stays the caller's: the other process is gone, or does not keep up. */
export type HandOver = (port: string, socket: Socket) => boolean;

/** While one has waited for so long, what comes is served at once where it is: a rig would rather have a busy front than none. */
const LONGEST_WAIT_MS = 2_000;

interface Waiting {
  readonly port: string;
  readonly socket: Socket;
  /** On a rising clock. */
  readonly sinceMs: number;
}

/**
 * While a connection is on its way, until the other process has said that it has it, all other messages wait behind it. So one is sent at a
 * time, and what else is said goes before the next. Node.js forgets what was on its way when the other process ends, and nobody would ever
 * close it: each is kept open, and closed, here.
 */
export function handOverTo(end: ChildProcess | NodeJS.Process): HandOver {
  const waiting: Waiting[] = [];
  let onItsWay: Socket | undefined;
  const sendNext = (): void => {
    onItsWay?.destroy();
    const next = waiting.shift();
    onItsWay = next?.socket;
    if (!next || !end.connected) return;
    end.send?.({ socketOf: next.port } satisfies Handed, next.socket, { keepOpen: true }, () => undefined);
    // It leaves this process when the other has answered, whether that could take the connection or not.
    end.send?.({ socketOf: '' } satisfies Handed, undefined, undefined, sendNext);
  };
  onGone(end, () => {
    for (const { socket } of waiting.splice(0)) socket.destroy();
    onItsWay?.destroy();
  });
  return (port, socket) => {
    const sinceMs = performance.now();
    if (!end.connected || sinceMs - (waiting[0]?.sinceMs ?? sinceMs) > LONGEST_WAIT_MS) return false;
    stopReading(socket);
    waiting.push({ port, socket, sinceMs });
    if (!onItsWay) sendNext();
    return true;
  };
}

/**
 * A socket that came from another process reads at once, and what it reads until it is on its way again would be lost. Nothing
 * public stops that: `pause` keeps what was read, and reads on.
 */
function stopReading(socket: Socket): void {
  (socket as unknown as { readonly _handle: { readStop(): number } | null })._handle?.readStop();
}

export function onHanded(
  end: ChildProcess | NodeJS.Process,
  listener: (port: string, socket: Socket) => void,
): void {
  end.on('message', (message, handle) => {
    // It may have ended on its way.
    if (isHanded(message) && handle instanceof Socket) listener(message.socketOf, handle);
  });
}
