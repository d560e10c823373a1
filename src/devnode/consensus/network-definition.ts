/** What nodes of a network agree on, as a file, a program or {@link KNOWN_NETWORKS} says it. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { hashModel } from '../../chain/models.js';
import { checkBody } from '../../chain/parameters.js';
import { targetFromHexBigEndian, targetFromInteger } from '../../core/work/target.js';
import { GRAPH_NAMES } from './chain-graph.js';

const whole = (least: number, most: number) => {
  const says = `must be a whole number from ${least} to ${most}`;
  return z.int(says).min(least, says).max(most, says);
};

const NO_ROW = 'must have a list of chain ids for each chain from 0 on';
const row = z.array(z.int(NO_ROW).min(0, NO_ROW), NO_ROW).readonly();
const rowsById = z.record(z.string(), row).transform((byId, context) => {
  const list = Object.keys(byId).map((_, id) => byId[id] ?? []);
  if (Object.keys(byId).every((id) => String(Number(id)) === id && Number(id) < list.length)) return list;
  context.addIssue(NO_ROW);
  return z.NEVER;
});
const NO_GRAPH = `must be one of ${GRAPH_NAMES.join(', ')}, or the adjacent chains of each chain`;
const graph = z.union([z.enum(GRAPH_NAMES), z.array(row).readonly(), rowsById], NO_GRAPH);

const NO_TIME = 'must be a time such as 2026-12-01T00:00:00Z';
/** Read as microseconds since the epoch, which a text may name. */
const time = z.union([z.string(), z.date()], NO_TIME).transform((given, context) => {
  const ms = new Date(given).getTime();
  const [, micros = ''] = /\.\d{3}(\d{1,3})/.exec(String(given)) ?? [];
  if (ms >= 0) return BigInt(ms) * 1000n + BigInt(micros.padEnd(3, '0'));
  context.addIssue(NO_TIME);
  return z.NEVER;
});

const NO_TARGET = 'must be up to 64 hex digits, highest first';
const target = z.string(NO_TARGET).transform((digits, context) => {
  const read = targetFromHexBigEndian(digits.padStart(64, '0'));
  if (read !== undefined) return read;
  context.addIssue(NO_TARGET);
  return z.NEVER;
});

const difficulty = whole(1, Number.MAX_SAFE_INTEGER).transform((hashes) =>
  targetFromInteger(((1n << 256n) - 1n) / BigInt(hashes)),
);

const NO_NAME = 'must be 1 to 64 letters, digits, - and _';
const NO_EPOCH = 'must be 0, or 3 to 1000000 blocks';

export const DEFINITION = z.strictObject({
  /** It stands in every path. */
  name: z.string(NO_NAME).regex(/^[\w-]{1,64}$/, NO_NAME),
  /** By which headers name the network (bytes 266..269; protocol notes A.1, F). */
  code: whole(0, 2 ** 32 - 1),
  /** One graph from the first block on; that of ten chains by default. */
  graph: graph.optional(),
  /** Graphs by the height of their first block, instead of `graph`. */
  graphs: z
    .array(
      z.tuple([whole(0, Number.MAX_SAFE_INTEGER), graph]).readonly(),
      'must be pairs of a height and a graph',
    )
    .readonly()
    .optional(),
  /** Time between two blocks of one chain; by default a block a second over all chains. */
  blockDelayMs: z.number('must be a number').positive('must be above 0').optional(),
  /**
   * Blocks between two changes of the difficulty. Small by default, so that it follows the hash rate of a desk: simulated at
   * 20 MH/s from the genesis difficulty, ten chains make about 150 blocks in the first minute and 40 to 75 in each later one;
   * from 0.2 to 1000 MH/s it is much alike.
   */
  difficultyWindow: whole(3, 10_000).default(4),
  /** Creation time of the genesis blocks. */
  genesisTime: time.prefault('2019-07-17T18:28:37.613832Z'),
  /** Expected hashes of the first blocks. */
  genesisDifficulty: difficulty.prefault(100_000),
  /** Of the chains that a later graph adds; by default as that of the others. */
  lateGenesisTarget: target.optional(),
  /** By chain id, the known hashes of genesis payloads whose content is not here; what is not named is made. */
  genesisPayloads: z.array(hashModel).readonly().default([]),
  /** The first epoch of the chains that were there first begins with their block 1. */
  firstEpochStartsLate: z.boolean('must be true or false').default(true),
  /** Blocks of a fork epoch (fork-state.ts); 0: headers hold no votes. */
  forkEpoch: z.union([z.literal(0), whole(3, 1_000_000)], NO_EPOCH).default(0),
  /** What a block credits (coin/coinbase.ts). */
  coinbase: z.enum(['fixed', 'stoa'], 'must be fixed or stoa').default('fixed'),
});

/** Only `name` and `code` must be there. */
export type NetworkDefinition = Readonly<z.input<typeof DEFINITION>>;

/** Throws RangeError with a sentence that names the field. */
export function readDefinition(given: NetworkDefinition): z.output<typeof DEFINITION> {
  return checkBody(DEFINITION, given, 'entry', 'the network');
}

/** A network or a graph of one's own, to be checked. Throws RangeError; who knows the file names it. */
export function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new RangeError(`the file cannot be read: ${(cause as Error).message}`, { cause });
  }
}
