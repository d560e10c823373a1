/**
 * A TCP tap between a client and a server: passes bytes on, counts requests, and does to them what networks do.
 *
 * Each fault lasts until it is taken back; `heal` takes all back.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { AnswerLog, type AnswerReader } from '../rigs/answer-log.js';

export interface TapFaults {
  /** Every chunk waits so long, both ways. */
  delayMs: number;
  /** Part of all packets that are lost, as TCP shows it: what is lost comes after 0.2 s, lost again after 0.4 s more, and so on. */
  lossRate: number;
  /** What the server says arrives a byte at a time. */
  splits: boolean;
  /** What is said on connections that exist now is lost without a word; new ones work. Set by `freeze`. */
  stallsNew: boolean;
  /** New connections are refused, those that exist are cut. */
  refuses: boolean;
  /** Answers every request itself, with this status. */
  answers: number | undefined;
  /** Changes what the client says, as Latin-1 text. */
  onRequest: (text: string) => string;
  /** Changes what the server says on a connection that asked for `path`; `undefined` cuts the connection. */
  onAnswer: (text: string, path: string) => string | undefined;
}

export interface Tap extends AsyncDisposable {
  readonly url: string;
  readonly faults: TapFaults;
  /** Paths asked for, in order. */
  readonly requests: readonly string[];
  /** When each of them came, on the clock of `performance.now`. */
  readonly requestedAtMs: readonly number[];
  /** What the server was heard to say. */
  readonly answers: AnswerLog;
  /** From now on connections go to this port. */
  targetPort: number;
  set(faults: Partial<TapFaults>): void;
  /** Connections that exist now stay open and carry nothing more: half open. */
  freeze(): void;
  /** The connection on which such a path is asked for next carries nothing more, the question neither. */
  freezeNext(path: string): void;
  /** Taken so far. */
  readonly connections: number;
  /** Ends every connection that exists now. */
  cut(): void;
  heal(): void;
}

interface Line {
  readonly near: Socket;
  readonly far: Socket;
  readonly reader: AnswerReader;
  path: string;
  isFrozen: boolean;
}

const NO_FAULTS: TapFaults = {
  delayMs: 0,
  lossRate: 0,
  splits: false,
  stallsNew: false,
  refuses: false,
  answers: undefined,
  onRequest: (text) => text,
  onAnswer: (text) => text,
};
const FIRST_RETRANSMISSION_MS = 200;
const REQUEST = /^(?:GET|POST|PUT) (\S+) HTTP\/1\.1/gm;

/** Listens on a port of 127.0.0.1 of its own. */
export async function openTap(targetPort: number): Promise<Tap> {
  const lines = new Set<Line>();
  const requests: string[] = [];
  const requestedAtMs: number[] = [];
  let connections = 0;
  let toFreeze: string | undefined;
  const answers = new AnswerLog();
  const cut = (): void => {
    for (const { near } of lines) near.destroy();
  };
  const server = createServer((near) => {
    if (tap.faults.refuses) return void near.resetAndDestroy();
    near.setNoDelay(true);
    connections++;
    const far = connect(tap.targetPort, '127.0.0.1');
    const line: Line = {
      near,
      far,
      reader: answers.reader(),
      path: '',
      isFrozen: tap.faults.stallsNew,
    };
    lines.add(line);
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        lines.delete(line);
        if (!line.isFrozen || socket === near) other.destroy();
      });
      socket.on('end', () => line.isFrozen || other.end());
    }
    near.on(
      'data',
      inOrder(
        line,
        () => tap.faults,
        (chunk) => fromNear(line, chunk),
      ),
    );
    far.on(
      'data',
      inOrder(
        line,
        () => tap.faults,
        (chunk) => fromFar(line, chunk),
      ),
    );
  });
  const fromNear = (line: Line, chunk: Buffer): void => {
    const text = chunk.toString('latin1');
    const asked = Array.from(text.matchAll(REQUEST), ([, path]) => path ?? '');
    requests.push(...asked);
    requestedAtMs.push(...asked.map(() => performance.now()));
    if (asked.length > 0) line.reader.asked();
    line.path = asked.at(-1) ?? line.path;
    if (toFreeze !== undefined && asked.some((path) => path.includes(toFreeze ?? ''))) {
      toFreeze = undefined;
      line.isFrozen = true;
      return;
    }
    const status = tap.faults.answers;
    if (status !== undefined && asked.length > 0) {
      line.near.end(`HTTP/1.1 ${status} Tap\r\ncontent-length: 3\r\nconnection: close\r\n\r\nTap`);
    } else line.far.write(Buffer.from(tap.faults.onRequest(text), 'latin1'));
  };
  const fromFar = async (line: Line, chunk: Buffer): Promise<void> => {
    const text = tap.faults.onAnswer(chunk.toString('latin1'), line.path);
    if (text === undefined) return void line.near.destroy();
    line.reader.heard(text, line.path);
    const bytes = Buffer.from(text, 'latin1');
    if (!tap.faults.splits) return void line.near.write(bytes);
    for (const byte of bytes) {
      line.near.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const tap: Tap = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    faults: { ...NO_FAULTS },
    requests,
    requestedAtMs,
    answers,
    targetPort,
    set: (faults) => {
      Object.assign(tap.faults, faults);
      if (faults.refuses) cut();
    },
    freeze() {
      for (const line of lines) line.isFrozen = true;
    },
    freezeNext: (path) => {
      toFreeze = path;
    },
    get connections() {
      return connections;
    },
    cut,
    heal: () => void Object.assign(tap.faults, NO_FAULTS),
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
  return tap;
}

/** Chunks one after the other, each after the delay; none of a frozen line. */
function inOrder(line: Line, faults: () => TapFaults, pass: (chunk: Buffer) => void | Promise<void>) {
  let last: Promise<void> = Promise.resolve();
  return (chunk: Buffer): void => {
    last = last.then(async () => {
      const delayMs = faults().delayMs + retransmissionMs(faults().lossRate);
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      if (!line.isFrozen && !line.near.destroyed) await pass(chunk);
    });
  };
}

function retransmissionMs(lossRate: number): number {
  let totalMs = 0;
  for (let waitMs = FIRST_RETRANSMISSION_MS; Math.random() < lossRate; waitMs *= 2) totalMs += waitMs;
  return totalMs;
}
