/**
 * A connection that carries the messages of a channel, between processes of one user that did not start each other: a length in four
 * bytes, little-endian, and the message as `node:v8` writes it.
 */
import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import type { Wire } from './channel.js';

const HEAD_BYTES = 4;
/** The lists of a front of 20,000 rigs are a tenth of that. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface StreamWire extends Wire {
  /** The next message, alone: those after it wait for a listener. Never settles where none comes. */
  next(): Promise<unknown>;
  /** What is sent already still goes out. */
  close(): void;
}

/** The newest listener gets what comes; until there is one it waits. A message that is none ends the connection. */
export function streamWire(socket: Socket): StreamWire {
  const early: unknown[] = [];
  let listener: ((message: unknown) => void) | undefined;
  let rest: Buffer = Buffer.alloc(0);
  const take = (message: unknown): void => void (listener ? listener(message) : early.push(message));
  socket.on('data', (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    try {
      rest = takeAll(rest, take);
    } catch {
      socket.destroy();
    }
  });
  // `close` follows, which is what counts.
  socket.on('error', () => undefined);
  return {
    send: (message) => {
      if (!socket.writable) return;
      const body = serialize(message);
      const head = Buffer.allocUnsafe(HEAD_BYTES);
      head.writeUInt32LE(body.length);
      socket.cork();
      socket.write(head);
      socket.write(body);
      socket.uncork();
      // The other side does not read any more.
      if (socket.writableLength > MAX_BYTES) socket.destroy();
    },
    onMessage: (next) => {
      listener = next;
      for (const message of early.splice(0)) next(message);
    },
    next: () =>
      new Promise((resolve) => {
        listener = (message) => {
          listener = undefined;
          resolve(message);
        };
        if (early.length > 0) listener(early.shift());
      }),
    onEnd: (ended) => void socket.once('close', ended),
    close: () => void socket.end(),
  };
}

/** Throws RangeError for one that is too long, and as `deserialize` does. @returns what is not whole yet. */
function takeAll(bytes: Buffer, take: (message: unknown) => void): Buffer {
  let rest = bytes;
  while (rest.length >= HEAD_BYTES) {
    const length = rest.readUInt32LE();
    if (length > MAX_BYTES) throw new RangeError(`a message of ${length} bytes`);
    if (rest.length < HEAD_BYTES + length) break;
    take(deserialize(rest.subarray(HEAD_BYTES, HEAD_BYTES + length)));
    rest = rest.subarray(HEAD_BYTES + length);
  }
  return rest;
}
