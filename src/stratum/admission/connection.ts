/** What a session knows of its transport, and a transport of its session. */
import type { Socket } from 'node:net';
import type { Transport } from '../../bridge/events.js';
import type { Peer } from '../../core/names/peer.js';
import { textFrame } from '../../wire/frames.js';

export interface Connection {
  readonly transport: Exclude<Transport, 'cpu'>;
  readonly peer: Peer;
  /** What was read from the wire so far, where that may be more than was received. */
  readonly wireBytes: (() => number) | undefined;
  /** Bytes that the rig has not taken yet. */
  readonly unsentBytes: number;
  /** Sends one line; `text` has no line end. */
  send(text: string): void;
  sendShared(line: SharedLine): void;
  /** Calls back once all that was sent so far has left; not at all when the connection ends before. */
  whenSent(callback: () => void): void;
  /** Reads no more until `resume`; what the rig sends waits in its own buffers. */
  pause(): void;
  resume(): void;
  /** Sends what is unsent, then closes; cuts the connection when that takes too long. */
  close(): void;
}

/** What a transport tells. Nothing follows after `closed`. */
export interface ConnectionEvents {
  /**
   * So many bytes were read, which ended so many lines, or frames without any, empty ones and pings too. After their `line`
   * calls.
   *
   * @param open the number of the message that was begun and has not ended.
   */
  received(bytes: number, frames: number, open: number | undefined): void;
  line(text: string): void;
  /** The rig breaks the rules of the transport, and hears this still; `fault` follows. */
  warnRig(text: string): boolean;
  /** It broke them; the connection is being closed. */
  fault(reason: string): void;
  /** @param why the connection broke; absent when the rig closed it in order. */
  closed(why?: string): void;
}

/** Makes the session of a new connection. */
export type Accept = (connection: Connection) => ConnectionEvents;

/** Time for a rig to take the last bytes of a connection that is being closed. */
export const CLOSE_GRACE_MS = 2000;

/** One line for many connections, turned into the bytes of each transport once. */
export class SharedLine {
  readonly text: string;
  #tcpBytes: Buffer | undefined;
  #wsFrame: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get tcpBytes(): Buffer {
    this.#tcpBytes ??= Buffer.from(`${this.text}\n`);
    return this.#tcpBytes;
  }

  get wsFrame(): Buffer {
    this.#wsFrame ??= textFrame(this.text);
    return this.#wsFrame;
  }
}

/** Writes to a socket so that all answers of one turn of the event loop leave in one system call. */
export class BatchedWriter {
  readonly #socket: Socket;
  #isCorked = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  write(data: string | Uint8Array): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(uncork, this);
    }
    this.#socket.write(data);
  }

  /** What does not wait for the end of the turn, with all that was written before it. */
  writeNow(data: Uint8Array): void {
    this.#socket.write(data);
    if (this.#isCorked) this.uncork();
  }

  uncork(): void {
    this.#isCorked = false;
    this.#socket.uncork();
  }
}

function uncork(writer: BatchedWriter): void {
  writer.uncork();
}
