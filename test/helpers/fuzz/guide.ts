/** Fuzzing that is led by coverage: an input that reaches what none before it has reached is kept, and others are made from it. */
import type { Coverage } from './coverage.js';
import type { Random } from './random.js';
import { fewest } from './shorten.js';

export interface ParserTarget {
  readonly name: string;
  /** A character a byte. */
  readonly seeds: readonly string[];
  /** Throws when what it reads shows a fault. */
  check(bytes: Buffer): void;
}

export interface Guided {
  readonly inputs: number;
  /** Inputs that are kept, each of which reached something first. */
  readonly corpus: readonly Buffer[];
}

/** What parsers compare with: a chance that bytes alone would not have in a lifetime. */
const WORDS = [
  ...[
    'subscribe',
    'authorize',
    'submit',
    'ping',
    'configure',
    'extranonce.subscribe',
    'suggest_difficulty',
    'suggest_target',
  ],
  ...['notify', 'set_target', 'set_difficulty', 'set_extranonce'],
].map((name) => `"mining.${name}"`);
const MORE_WORDS = [
  ...[
    '"client.get_version"',
    '"client.reconnect"',
    '"client.show_message"',
    '"method":',
    '"id":',
    '"params":',
    '"result":',
  ],
  ...[
    '"error":',
    '"code":',
    '"message":',
    'null',
    'true',
    'false',
    '"a.r"',
    '"5d4"',
    '"0123456789ab"',
    '1e999',
    '12345678901234567890',
  ],
  ...[
    `"${'0f'.repeat(32)}"`,
    `"${'00'.repeat(286)}"`,
    '[null,"0123",6]',
    '{',
    '}',
    '[',
    ']',
    ',',
    '[[[[[[[[[['.repeat(8),
    '\r\n',
    '\n',
  ],
  ...[
    'PROXY ',
    'TCP4 ',
    'TCP6 ',
    'UNKNOWN',
    '192.0.2.1 192.0.2.2 5000 1917\r\n',
    '2001:db8::1 2001:db8::2 5000 1917\r\n',
  ],
  ...[
    '\r\n\r\n\0\r\nQUIT\n',
    '\x21\x11\0\x0c',
    '\x21\x21\0\x24',
    '\x20\0\0\0',
    '\x81\xfe\0\x80',
    '\x81\xff\0\0\0\0\0\0\0\x05',
    '\x09\0',
  ],
  ...['+1e12', ',fd=1e3', ';d=2', ' h=1.5T', ',th=3', '.', 'x'.repeat(70)],
];
const DICTIONARY = [...WORDS, ...MORE_WORDS].map((word) => Buffer.from(word, 'latin1'));
const BATCH = 256;
const LONGEST = 2_000;
const NEWEST = 8;

/** Rejects with the shortest input that shows a fault. */
export async function guide(
  target: ParserTarget,
  coverage: Coverage,
  random: Random,
  inputs: number,
): Promise<Guided> {
  const corpus = target.seeds.map((seed) => Buffer.from(seed, 'latin1'));
  for (const seed of corpus) await check(target, seed);
  coverage.look();
  let done = 0;
  for (; done < inputs; done += BATCH) {
    const batch = random.times(BATCH, () => changed(corpus, random));
    for (const input of batch) await check(target, input);
    const fresh = coverage.look();
    if (fresh.size > 0) keepFirst(target, coverage, batch, fresh, corpus);
  }
  return { inputs: done, corpus };
}

/** Of a batch that reached something new, those that did: each is run again alone. */
function keepFirst(
  target: ParserTarget,
  coverage: Coverage,
  batch: readonly Buffer[],
  fresh: Set<number>,
  corpus: Buffer[],
): void {
  for (const input of batch) {
    target.check(input);
    const before = fresh.size;
    for (const place of coverage.ranLately()) fresh.delete(place);
    if (fresh.size < before) corpus.push(input);
    if (fresh.size === 0) return;
  }
}

async function check(target: ParserTarget, input: Buffer): Promise<void> {
  try {
    target.check(input);
  } catch (error) {
    const isFaulty = async (bytes: readonly number[]): Promise<boolean> => {
      try {
        target.check(Buffer.from(bytes));
        return false;
      } catch {
        return true;
      }
    };
    const shortest = Buffer.from([...(await fewest([...input], isFaulty))]);
    throw new Error(`${target.name}: ${JSON.stringify(shortest.toString('latin1'))}`, { cause: error });
  }
}

function changed(corpus: readonly Buffer[], random: Random): Buffer {
  // What was found last has led nowhere yet.
  let bytes = random.pick(random.chance(0.5) ? corpus.slice(-NEWEST) : corpus);
  for (let left = 1 + random.below(6); left > 0; left--) bytes = changedOnce(bytes, corpus, random);
  return bytes.subarray(0, LONGEST);
}

/** A text, number or word of JSON, or an empty list. */
const TOKEN = /"[^"]*"|[\d.eE+-]+|null|true|false|\[\]/g;

/** One token becomes another: what is changed so is mostly JSON still. */
function withOtherToken(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString('latin1');
  const tokens = [...text.matchAll(TOKEN)];
  if (tokens.length === 0) return bytes;
  const { index, 0: token } = random.pick(tokens);
  const word = random.pick(DICTIONARY).toString('latin1');
  const other = token === '[]' ? `[${word}]` : random.chance(0.3) ? `${word},${token}` : word;
  return Buffer.from(text.slice(0, index) + other + text.slice(index + token.length), 'latin1');
}

function changedOnce(bytes: Buffer, corpus: readonly Buffer[], random: Random): Buffer {
  if (random.chance(0.5)) return withOtherToken(bytes, random);
  const at = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, at + random.below(random.chance(0.5) ? 4 : 40));
  const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  const other = random.pick(corpus);
  const inserts = [
    () => random.pick(DICTIONARY),
    () => random.pick(DICTIONARY),
    () => Buffer.from([random.below(256)]),
    () => Buffer.from(String(random.next())),
    () => Buffer.concat([middle, middle]),
    () => other.subarray(random.below(other.length + 1)),
    () => Buffer.alloc(0),
  ];
  const insert = random.pick(inserts)();
  return Buffer.concat(random.chance(0.5) ? [before, insert, after] : [before, insert, middle, after]);
}
