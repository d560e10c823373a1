/** What one connection of a fuzzer does, as plain data: made from a seed, printed when it fails, and made shorter. */
import type { WireTransport } from '../rigs/wire-rig.js';
import { WIRE_TRANSPORTS } from '../rigs/wire-rig.js';
import { randomMessage } from './messages.js';
import { Random } from './random.js';

export type Step =
  /** Lines with their ends, or the texts of as many frames; cut into pieces of so many bytes, the last of which has the rest. */
  | {
      readonly kind: 'lines';
      readonly lines: readonly string[];
      readonly end: string;
      readonly cuts: readonly number[];
    }
  /** One WebSocket frame, which may be none: its first byte, whether it is masked, and a length that may be a lie. */
  | {
      readonly kind: 'frame';
      readonly first: number;
      readonly masked: boolean;
      readonly length?: number;
      readonly payload: string;
    }
  /** Below TLS where there is TLS; a character a byte. */
  | { readonly kind: 'bytes'; readonly bytes: string }
  /** So many turns of the event loop. */
  | { readonly kind: 'wait'; readonly turns: number }
  /** So much time passes on the bridge's clock. */
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'leave'; readonly how: 'end' | 'reset' };

export interface Script {
  readonly transport: WireTransport;
  /** What a balancer says first, a character a byte; absent for who comes without one. */
  readonly header?: string;
  /** Whether the header, and for a WebSocket the upgrade, are as they should be. */
  readonly isProper: boolean;
  /** Instead of a proper upgrade to a WebSocket, a character a byte. */
  readonly upgrade?: string;
  readonly steps: readonly Step[];
}

const V2_SIGNATURE = '\r\n\r\n\0\r\nQUIT\n';
/** Opcodes, final bits and reserved bits, right and wrong. */
const FIRST_BYTES = [0x81, 0x81, 0x82, 0x01, 0x00, 0x80, 0x89, 0x8a, 0x88, 0x83, 0xc1, 0x09];

/** Past the limits of a handshake, an authorize and a silence, and short of them. */
const PASSES_MS = [1_000, 11_000, 31_000, 601_000];

/** The number-th script of a seed. */
export function scriptOf(seed: number, number: number, longest = 5_000): Script {
  const random = Random.of(seed, number);
  const transport = random.pick(WIRE_TRANSPORTS);
  const isProper = random.chance(0.85);
  const header = random.chance(0.5) ? proxyHeader(random, isProper) : undefined;
  const isWs = transport === 'ws' || transport === 'wss';
  const upgrade = isWs && !isProper && random.chance(0.5) ? wrongUpgrade(random) : undefined;
  const steps: Step[] = [];
  if (random.chance(0.7)) steps.push(greeting(random));
  for (let left = 1 + random.below(8); left > 0; left--) steps.push(randomStep(random, isWs, longest));
  if (random.chance(0.3)) steps.push({ kind: 'leave', how: random.pick(['end', 'reset']) });
  return { transport, isProper, steps, ...(header ? { header } : {}), ...(upgrade ? { upgrade } : {}) };
}

/** Messages in it. */
export function sizeOf({ steps }: Script): number {
  return steps.reduce((sum, step) => sum + (step.kind === 'lines' ? step.lines.length : 1), 0);
}

function greeting(random: Random): Step {
  const subscribe = '{"id":1,"method":"mining.subscribe","params":["fuzz/1",""]}';
  const authorize = '{"id":2,"method":"mining.authorize","params":["a.r","x"]}';
  const lines = random.chance(0.5) ? [subscribe, authorize] : [authorize, subscribe];
  return { kind: 'lines', lines, end: '\n', cuts: [] };
}

function randomStep(random: Random, isWs: boolean, longest: number): Step {
  if (random.chance(0.1)) return { kind: 'wait', turns: random.below(20) };
  if (random.chance(0.02)) return { kind: 'pass', ms: random.pick(PASSES_MS) };
  if (isWs && random.chance(0.08)) return randomFrame(random);
  if (random.chance(0.04)) return { kind: 'bytes', bytes: randomBytes(random, random.below(400)) };
  const count = random.pick([1, 1, 3, 10, 30, 100, longest]);
  const lines = random.times(1 + random.below(count), () => randomMessage(random));
  return { kind: 'lines', lines, end: random.pick(['\n', '\n', '\r\n', '\n\n']), cuts: cutsOf(random) };
}

function cutsOf(random: Random): readonly number[] {
  return random.pick([
    () => [],
    () => [],
    () => random.times(random.below(100), () => 1),
    () => random.times(random.below(20), () => random.below(400)),
  ])();
}

function randomFrame(random: Random): Step {
  const payload = random.chance(0.7) ? randomMessage(random) : randomBytes(random, random.below(130));
  const length = random.pick([undefined, undefined, undefined, 0, 125, 65_536, 2 ** 40]);
  const first = random.pick(FIRST_BYTES);
  return {
    kind: 'frame',
    first,
    masked: random.chance(0.8),
    payload,
    ...(length === undefined ? {} : { length }),
  };
}

/** Of a balancer that speaks for an address of its own choice. */
function proxyHeader(random: Random, isProper: boolean): string {
  const host = `10.${random.below(4)}.${random.below(256)}.${1 + random.below(250)}`;
  const text = random.pick([
    () => `PROXY TCP4 ${host} 192.0.2.1 5000 1917\r\n`,
    () => `PROXY TCP6 2001:db8::${1 + random.below(999)} 2001:db8::1 5000 1917\r\n`,
    () => 'PROXY UNKNOWN\r\n',
    () =>
      v2Header(
        0x21,
        0x11,
        String.fromCharCode(...host.split('.').map(Number), 192, 0, 2, 1, 19, 136, 7, 125),
      ),
    () => v2Header(0x21, 0x21, `${randomBytes(random, 32)}\x13\x88\x07\x7d`),
    () => v2Header(0x20, 0, ''),
    () => v2Header(0x21, 0x11, `${'\x0a\0\0\x01'}${'\0'.repeat(8)}${randomBytes(random, random.below(50))}`),
  ])();
  if (isProper) return text;
  const at = random.below(text.length + 1);
  const cut = random.pick([0, 1, 5]);
  return text.slice(0, at) + randomBytes(random, random.pick([0, 1, 200])) + text.slice(at + cut);
}

function v2Header(command: number, family: number, addresses: string): string {
  const length = String.fromCharCode(addresses.length >> 8, addresses.length & 255);
  return `${V2_SIGNATURE}${String.fromCharCode(command, family)}${length}${addresses}`;
}

function wrongUpgrade(random: Random): string {
  const head = 'GET / HTTP/1.1\r\nHost: bridge\r\n';
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  return random.pick([
    () => `${head}\r\n`,
    () => `${head}${upgrade}\r\n`,
    () => `${head}${upgrade}Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    () => `${head}${upgrade}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 99\r\n\r\n`,
    () => `${head}${upgrade}Origin: http://elsewhere\r\n${UPGRADE_KEY}\r\n`,
    () => `${head}X: ${'y'.repeat(20_000)}\r\n\r\n`,
    () => `POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 99\r\n\r\n${randomBytes(random, 50)}`,
    () => randomBytes(random, 200),
  ])();
}

/** As RFC 6455 has it in its own example. */
const UPGRADE_KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';
export const PROPER_UPGRADE = `GET / HTTP/1.1\r\nHost: bridge\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${UPGRADE_KEY}\r\n`;

function randomBytes(random: Random, length: number): string {
  return String.fromCharCode(...random.times(length, () => random.below(256)));
}
