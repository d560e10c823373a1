/**
 * Messages of rigs, right and wrong. A message is a text in which each character is a byte, so that it may hold any. Names in
 * angle brackets stand for what only the connection knows that it is sent over: see {@link PLACES}.
 */
import type { Random } from './random.js';

/** The newest job, the one before it, a nonce2 that makes a share of the newest, the lease, a token of a former session. */
export const PLACES = ['<job>', '<former>', '<share>', '<nonce1>', '<token>'] as const;
export type Place = (typeof PLACES)[number];

const METHODS = [
  'mining.subscribe',
  'mining.authorize',
  'mining.submit',
  'mining.ping',
  'mining.configure',
  'mining.extranonce.subscribe',
  'mining.suggest_difficulty',
  'mining.suggest_target',
];
const OTHER_METHODS = [
  'mining.notify',
  'mining.multi_version',
  'client.get_version',
  'toString',
  '__proto__',
  '',
];
const AGENTS = ['fuzz/1', '', 'stratum-bridge/2', '\u0000\u001b[31m', 'x'.repeat(300)];
const LOGINS = [
  'a.r',
  'a.r',
  'b.r',
  'a',
  '.',
  '',
  'a.r+16',
  'a+1e3.r',
  'a.r+1e99',
  'ä.\u{1f680}',
  '\ud800.half',
  'x'.repeat(300),
];
const PASSWORDS = ['x', '', 'd=16', 'secret,fd=1e3', 'd=;h=,th=0', ',;,;', 'd=1e400', null, 7];
const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1e400',
  '1E-7',
  '18446744073709551616',
  '9007199254740993',
  '0.1',
  '4294967296',
];
const NAMES = ['id', 'method', 'params', 'result', 'error', '__proto__', 'constructor', 'jsonrpc'];
const TARGET = `${'0'.repeat(8)}${'f'.repeat(56)}`;

type Value = unknown;

/** One message, most of them as a rig would send it. */
export function randomMessage(random: Random): string {
  if (random.chance(0.5)) return toBytes(rightMessage(random));
  if (random.chance(0.6)) return toBytes(spoiled(rightMessage(random), random));
  if (random.chance(0.5)) return spoiledBytes(toBytes(rightMessage(random)), random);
  return toBytes(strange(random));
}

/** The text's bytes, each as a character. */
export function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function rightMessage(random: Random): string {
  const method = random.chance(0.5) ? 'mining.submit' : random.pick(METHODS);
  return JSON.stringify({ id: random.below(1000), method, params: paramsOf(method, random) });
}

function paramsOf(method: string, random: Random): Value[] {
  switch (method) {
    case 'mining.subscribe':
      return [random.pick(AGENTS), random.pick<Value>([null, '', '<token>', '<nonce1>', 'ffff'])].slice(
        random.below(3),
      );
    case 'mining.authorize':
      return [random.pick(LOGINS), random.pick<Value>(PASSWORDS)];
    case 'mining.submit':
      return [
        random.pick(LOGINS),
        random.pick(['<job>', '<job>', '<former>', '5d4', 'ffffffffffffff', '']),
        random.pick(['<share>', random.next().toString(16), '0', 'FFFFFFFFFFFF', '']),
      ];
    case 'mining.configure':
      return [[random.pick(NAMES), 'subscribe-extranonce', 7].slice(random.below(3)), {}];
    case 'mining.suggest_difficulty':
      return [random.pick<Value>([1, 1e6, 1e308, '5', 'NaN', -1, 0])];
    case 'mining.suggest_target':
      return [random.pick([TARGET, '0'.repeat(64), 'f'.repeat(64), 'ff'])];
    default:
      return [];
  }
}

/** The same with something of its JSON changed. */
function spoiled(message: string, random: Random): string {
  const value = JSON.parse(message) as Record<string, Value>;
  switch (random.below(9)) {
    case 0:
      value[random.pick(['id', 'method', 'params'])] = anyValue(random, 3);
      break;
    case 1:
      delete value[random.pick(['id', 'method', 'params'])];
      break;
    case 2:
      (value['params'] as Value[])[random.below(4)] = anyValue(random, 3);
      break;
    case 3:
      (value['params'] as Value[]).push(...random.times(random.below(20), () => anyValue(random, 1)));
      break;
    case 4:
      value['method'] = random.pick(OTHER_METHODS);
      break;
    case 5:
      return message.replace(/"id":\d+/, `"id":${random.pick(NUMBERS)}`);
    case 6:
      return message.replace(
        '{',
        `{${JSON.stringify(random.pick(NAMES))}:${JSON.stringify(anyValue(random, 2))},`,
      );
    case 7:
      return JSON.stringify(JSON.parse(message), null, random.pick([1, '\t', ' '.repeat(9)])).replaceAll(
        '\n',
        '\r',
      );
    default:
      return JSON.stringify({ id: value['id'], [random.pick(['result', 'error'])]: anyValue(random, 3) });
  }
  return JSON.stringify(value);
}

function anyValue(random: Random, levels: number): Value {
  if (levels > 0 && random.chance(0.4)) {
    const items = random.times(random.below(4), () => anyValue(random, levels - 1));
    return random.chance(0.5) ? items : Object.fromEntries(items.map((item) => [random.pick(NAMES), item]));
  }
  return random.pick<Value>([
    ...[null, true, false, 0, -1, 1e300, 2 ** 53, random.next(), '', '<job>', '<share>', 'a.r'],
    ...[random.pick(LOGINS), random.pick(METHODS), '\u2028', 'é'.repeat(random.below(200))],
  ]);
}

/** What is hardly a message any more. */
function strange(random: Random): string {
  const levels = random.below(4000);
  return random.pick([
    () => '['.repeat(levels),
    () => `{"id":${'['.repeat(levels)}${']'.repeat(levels)}}`,
    () =>
      `{"id":1,"method":"mining.suggest_target","params":[${'{"a":'.repeat(levels / 5)}1${'}'.repeat(levels / 5)}]}`,
    () => 'GET / HTTP/1.1',
    () => `"${'\\u0000'.repeat(random.below(500))}"`,
    () => 'x'.repeat(random.below(random.chance(0.02) ? 20_000 : 8_000)),
    () => ' '.repeat(random.below(300)),
    () => random.pick(NUMBERS),
    () => '',
  ])();
}

/** The same with some of its bytes changed, none of them an end of a line. */
function spoiledBytes(message: string, random: Random): string {
  let bytes = message;
  for (let left = 1 + random.below(4); left > 0; left--) {
    const at = random.below(bytes.length + 1);
    const [before, after] = [bytes.slice(0, at), bytes.slice(at)];
    const byte = String.fromCharCode(random.below(256)).replace(/[\r\n]/, '\v');
    bytes = random.pick([
      () => before + byte + after.slice(1),
      () => before + byte + after,
      () => before + after.slice(1 + random.below(8)),
      () => before + after.slice(0, random.below(12)) + after,
      () => before,
    ])();
  }
  return bytes;
}
