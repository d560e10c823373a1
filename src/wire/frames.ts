/**
 * WebSocket frames (RFC 6455, 5) as rigs and a server exchange them: text in one piece or in several, with control frames between.
 * A frame that has come in part is kept until the rest of it has, so that no more than one is held.
 */
import { isUtf8 } from 'node:buffer';

/** What is read. None of these may throw. */
export interface FrameEvents {
  /** A whole one, sent as text or as bytes. */
  onMessage(text: string): void;
  onPing(payload: Buffer): void;
  onPong(): void;
  /** The other side closes; with what it said, if anything. */
  onClose(payload: Buffer): void;
  /** It breaks the rules, and nothing more is read of it. @param code of RFC 6455, 7.4.1. */
  onFault(code: number, reason: string): void;
}

const CONTINUATION = 0x0;
const TEXT = 0x1;
const BINARY = 0x2;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;

const LAST = 0x80;
const RESERVED = 0x70;
const OPCODE = 0x0f;
const MASKED = 0x80;
const MASK_BYTES = 4;
/** Of a control frame, and of others whose length stands in their second byte. */
const MAX_SHORT_BYTES = 125;

export const GOING_AWAY = 1001;
const PROTOCOL_ERROR = 1002;
const NO_UTF8 = 1007;
const POLICY_VIOLATION = 1008;
const TOO_BIG = 1009;

/** Rigs send a message in one piece; each piece costs far more than its bytes. */
const MAX_PIECES = 16;
const NOTHING = Buffer.alloc(0);
const NO_PIECES: readonly Buffer[] = [];

/** A frame, as far as it has come. */
interface Head {
  readonly opcode: number;
  readonly isLast: boolean;
  /** Where the mask begins, which the payload follows. */
  readonly maskAt: number;
  readonly payloadBytes: number;
}

export class FrameReader {
  readonly #maxBytes: number;
  readonly #events: FrameEvents;
  /** Of a frame whose end has not come. */
  #rest: Buffer = NOTHING;
  /** Of a message whose last frame has not come. */
  #pieces: readonly Buffer[] = NO_PIECES;
  #messages = 0;
  #isBroken = false;

  /** @param maxBytes of a message. */
  constructor(maxBytes: number, events: FrameEvents) {
    this.#maxBytes = maxBytes;
    this.#events = events;
  }

  /** The number of the message that was begun and has not ended; `undefined` between messages. */
  get open(): number | undefined {
    const [first = CLOSE] = this.#rest;
    const isBegun = this.#pieces.length > 0 || (first & OPCODE) < CLOSE;
    return isBegun ? this.#messages : undefined;
  }

  /** Takes the mask off in place. */
  push(chunk: Buffer): void {
    if (this.#isBroken) return;
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (let head = this.#headAt(bytes, at); head; head = this.#headAt(bytes, at)) {
      const payloadAt = head.maskAt + MASK_BYTES;
      const end = payloadAt + head.payloadBytes;
      if (end > bytes.length) break;
      const payload = bytes.subarray(payloadAt, end);
      unmask(payload, bytes, head.maskAt);
      this.#take(head, payload);
      at = end;
    }
    // A copy, because a view would keep the whole network buffer alive.
    this.#rest = this.#isBroken || at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at));
  }

  /** `undefined` while it has not come whole, or when it breaks the rules. */
  #headAt(bytes: Buffer, at: number): Head | undefined {
    const [first, second] = [bytes[at], bytes[at + 1]];
    if (this.#isBroken || first === undefined || second === undefined) return undefined;
    const opcode = first & OPCODE;
    const isLast = (first & LAST) !== 0;
    const fault = this.#faultIn(first, second);
    if (fault) return this.#break(PROTOCOL_ERROR, fault);
    const short = second & ~MASKED;
    const lengthBytes = short <= MAX_SHORT_BYTES ? 0 : short === 126 ? 2 : 8;
    const maskAt = at + 2 + lengthBytes;
    if (bytes.length < maskAt) return undefined;
    const payloadBytes = lengthBytes === 0 ? short : lengthAt(bytes, at + 2, lengthBytes);
    const before = this.#pieces.reduce((sum, { length }) => sum + length, 0);
    if (opcode < CLOSE && before + payloadBytes > this.#maxBytes)
      return this.#break(TOO_BIG, `a message is longer than ${this.#maxBytes} bytes`);
    return { opcode, isLast, maskAt, payloadBytes };
  }

  #faultIn(first: number, second: number): string | undefined {
    const opcode = first & OPCODE;
    const isControl = opcode >= CLOSE;
    if (first & RESERVED) return 'a WebSocket frame uses an extension that was not agreed on';
    if (opcode > PONG || (!isControl && opcode > BINARY)) return `no WebSocket frame has opcode ${opcode}`;
    if (isControl && (!(first & LAST) || (second & ~MASKED) > MAX_SHORT_BYTES))
      return 'a WebSocket control frame is in pieces, or too long';
    if (!isControl && (opcode === CONTINUATION) !== this.#pieces.length > 0)
      return 'a WebSocket message begins within another, or goes on without a beginning';
    return second & MASKED ? undefined : 'a WebSocket frame of a client is not masked';
  }

  #break(code: number, reason: string): undefined {
    this.#isBroken = true;
    this.#pieces = NO_PIECES;
    this.#events.onFault(code, reason);
    return undefined;
  }

  #take({ opcode, isLast }: Head, payload: Buffer): void {
    if (opcode === PING) this.#events.onPing(payload);
    else if (opcode === PONG) this.#events.onPong();
    else if (opcode === CLOSE) this.#events.onClose(payload);
    else if (isLast) this.#end(payload);
    else if (this.#pieces.length + 1 >= MAX_PIECES)
      this.#break(POLICY_VIOLATION, `a WebSocket message is in more than ${MAX_PIECES} pieces`);
    else this.#pieces = [...this.#pieces, Buffer.from(payload)];
  }

  #end(last: Buffer): void {
    const whole = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last]);
    this.#pieces = NO_PIECES;
    this.#messages++;
    if (isUtf8(whole)) this.#events.onMessage(whole.toString());
    else this.#break(NO_UTF8, 'a WebSocket message is no UTF-8');
  }
}

function lengthAt(bytes: Buffer, at: number, lengthBytes: number): number {
  return lengthBytes === 2 ? bytes.readUInt16BE(at) : Number(bytes.readBigUInt64BE(at));
}

function unmask(payload: Buffer, bytes: Buffer, maskAt: number): void {
  for (let i = 0; i < payload.length; i++)
    payload[i] = (payload[i] as number) ^ (bytes[maskAt + (i & 3)] as number);
}

/** Whole and unmasked, as a server sends it. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headBytes = length <= MAX_SHORT_BYTES ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame[0] = LAST | TEXT;
  if (headBytes === 2) frame[1] = length;
  else if (headBytes === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headBytes);
  return frame;
}

/** @param payload of the ping that is answered. */
export function pongFrame(payload: Buffer): Buffer {
  return controlFrame(PONG, payload);
}

/** With a code of RFC 6455, 7.4.1, or what the other side said. */
export function closeFrame(code: number | Buffer): Buffer {
  return controlFrame(CLOSE, typeof code === 'number' ? Buffer.from([code >> 8, code & 0xff]) : code);
}

function controlFrame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([LAST | opcode, payload.length]), payload]);
}
