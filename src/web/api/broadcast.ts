/** One stream of events to many readers: what is sent is made once, and whoever does not keep up is dropped. */
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { faultOf, type Log } from '../../core/names/log.js';

interface BroadcastOptions {
  /** Made once a second while somebody reads; its JSON goes to all. */
  readonly snapshot: () => Promise<object>;
  /** A reader that has left so many bytes lying is dropped. */
  readonly maxBehindBytes?: number;
  readonly intervalMs?: number;
  readonly log: Log;
}

const INTERVAL_MS = 1_000;
/** Written to at once: a job for rigs waits for no more than these. */
const READERS_A_TURN = 20;
/** Some snapshots of a bridge with many nodes, and more than a socket's own buffer. */
const MAX_BEHIND_BYTES = 262_144;

export class Broadcast {
  readonly #options: BroadcastOptions;
  /** Each with whether it may go on. */
  readonly #readers = new Map<ServerResponse, () => boolean>();
  #timer: NodeJS.Timeout | undefined;
  #making: Promise<void> | undefined;
  /** Frames that not all have yet, the oldest first. */
  readonly #frames: Buffer[] = [];
  #isSending = false;
  /** The newest snapshot as it is written, so that who comes between two sees something at once. */
  #newest = '';
  #isFailing = false;

  constructor(options: BroadcastOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /**
   * From now on it gets all that is told, until it ends or falls behind.
   *
   * @param mayRead asked before each frame: a token may be taken back.
   */
  join(reader: ServerResponse, mayRead: () => boolean = () => true): void {
    this.#readers.set(reader, mayRead);
    reader.once('close', () => this.#leave(reader));
    // A reset here is nobody's news.
    reader.on('error', () => reader.destroy());
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#makeSnapshot(), this.#options.intervalMs ?? INTERVAL_MS);
      this.#makeSnapshot();
    } else if (this.#newest !== '') reader.write(this.#newest);
  }

  /** To all who read now. @param event one word, as `EventSource` knows it. */
  tell(event: string, data: object): void {
    if (this.#readers.size > 0) this.#send(frameOf(event, data));
  }

  close(): void {
    for (const reader of this.#readers.keys()) reader.destroy();
  }

  #makeSnapshot(): void {
    // One that takes longer than a second is not asked for twice.
    this.#making ??= this.#options
      .snapshot()
      .then((state) => {
        this.#newest = frameOf('snapshot', state);
        this.#send(this.#newest);
        this.#isFailing = false;
      })
      .catch((error: Error) => this.#failed(error))
      .finally(() => {
        this.#making = undefined;
      });
  }

  /** Told once, and not each second. */
  #failed(error: Error): void {
    const say = this.#isFailing ? 'debug' : 'error';
    this.#options.log[say](faultOf(error), 'snapshots for the stream cannot be made');
    this.#isFailing = true;
  }

  #send(frame: string): void {
    this.#frames.push(Buffer.from(frame));
    if (!this.#isSending) void this.#sendAll();
  }

  /** All frames that wait, to some readers in each turn of the event loop. */
  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#frames.length > 0) {
      const frames = this.#frames.splice(0);
      let written = 0;
      for (const [reader, mayRead] of [...this.#readers]) {
        if (mayRead()) this.#write(reader, frames);
        else reader.destroy();
        if (++written % READERS_A_TURN === 0) await turn();
      }
    }
    this.#isSending = false;
  }

  #write(reader: ServerResponse, frames: readonly Buffer[]): void {
    const { maxBehindBytes = MAX_BEHIND_BYTES } = this.#options;
    for (const frame of frames) {
      if (reader.destroyed) return;
      if (reader.writableLength > maxBehindBytes) reader.destroy();
      else reader.write(frame);
    }
  }

  #leave(reader: ServerResponse): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#newest = '';
  }
}

function frameOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
