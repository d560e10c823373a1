/** Networks and graphs of one's own, from files. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { targetFromInteger } from '../../core/work/target.js';
import { type Adjacency, type ChosenGraph, chainGraph, GRAPH_NAMES } from './chain-graph.js';
import {
  DEVELOPMENT_TARGET,
  DEVELOPMENT_WINDOW,
  defaultsOf,
  FIRST_GENESIS_TIME,
  type NetworkDefaults,
} from './known-networks.js';

/** What nodes of a network agree on. Only `name` and `code` must be there. */
export interface NetworkDefinition {
  /** 1 to 64 letters, digits, - and _; it stands in every path. */
  readonly name: string;
  /** Of the headers of this network: below 2^32. */
  readonly code: number;
  /** By default that of ten chains. */
  readonly graph?: ChosenGraph | undefined;
  /** By the height of their first block, instead of `graph`. */
  readonly graphs?: readonly (readonly [height: number, graph: ChosenGraph])[] | undefined;
  /** Time between two blocks of one chain; by default a block a second over all chains. */
  readonly blockDelayMs?: number | undefined;
  readonly difficultyWindow?: number | undefined;
  readonly genesisTime?: string | Date | undefined;
  /** Expected hashes of the first blocks. */
  readonly genesisDifficulty?: number | undefined;
  /** Blocks of a fork epoch; 0: headers hold no votes. */
  readonly forkEpoch?: number | undefined;
}

const MOST_FILE_BYTES = 1024 * 1024;
const chainId = z.int('holds what is no chain id').min(0, 'holds what is no chain id');
const rows = z.array(z.array(chainId, 'has a row that is no list'));
const rowsById = z
  .record(z.string(), z.array(chainId, 'has a row that is no list'))
  .transform((byId, context) => {
    const list = Object.keys(byId).map((_, id) => byId[id] ?? []);
    if (Object.keys(byId).every((id) => String(Number(id)) === id && Number(id) < list.length)) return list;
    context.addIssue('must have a row for each chain from 0 on');
    return z.NEVER;
  });
const NO_GRAPH = `must be one of ${GRAPH_NAMES.join(', ')}, or the adjacent chains of each chain`;
const graph: z.ZodType<ChosenGraph> = z.union([z.enum(GRAPH_NAMES), rows, rowsById], NO_GRAPH);
const whole = (least: number, most: number) => {
  const says = `must be a whole number from ${least} to ${most}`;
  return z.int(says).min(least, says).max(most, says);
};
const NO_TIME = 'must be a time such as 2026-12-01T00:00:00Z';
const NO_NAME = 'must be 1 to 64 letters, digits, - and _';

const DEFINITION = z.strictObject({
  name: z.string(NO_NAME).regex(/^[\w-]{1,64}$/, NO_NAME),
  code: whole(0, 2 ** 32 - 1),
  graph: graph.optional(),
  graphs: z
    .array(z.tuple([whole(0, Number.MAX_SAFE_INTEGER), graph]), 'must be pairs of a height and a graph')
    .optional(),
  blockDelayMs: z.number('must be a number').positive('must be above 0').optional(),
  difficultyWindow: whole(3, 10_000).optional(),
  genesisTime: z
    .union([z.string(), z.date()], NO_TIME)
    .refine((time) => new Date(time).getTime() >= 0, NO_TIME)
    .optional(),
  genesisDifficulty: whole(1, Number.MAX_SAFE_INTEGER).optional(),
  forkEpoch: whole(0, 1_000_000).optional(),
});

/** Throws RangeError with a sentence that names the file and the field. */
export function readNetworkFile(path: string): NetworkDefinition {
  return checked(DEFINITION, jsonIn(path), `the network in ${path}`);
}

export function readGraphFile(path: string): Adjacency {
  const given = checked(graph, jsonIn(path), `the graph in ${path}`);
  if (typeof given === 'string') throw new RangeError(`the graph in ${path} must be no name but a list`);
  return given;
}

/** Throws RangeError with a sentence that names the field. */
export function definedNetwork(given: NetworkDefinition): NetworkDefaults {
  const definition = checked(DEFINITION, given, 'the network');
  const {
    name,
    code,
    graph: only = 'petersen',
    graphs,
    genesisDifficulty,
    blockDelayMs,
    forkEpoch,
  } = definition;
  if (defaultsOf(name)) throw new RangeError(`the network's name must be no known one, as ${name} is`);
  if (graphs && definition.graph !== undefined)
    throw new RangeError('the network must have graph or graphs, not both');
  const target =
    genesisDifficulty === undefined
      ? DEVELOPMENT_TARGET
      : targetFromInteger(((1n << 256n) - 1n) / BigInt(genesisDifficulty));
  const { genesisTime } = definition;
  for (const [, one] of graphs ?? [[0, only] as const]) chainGraph(one);
  return {
    versionCode: code,
    graphs: graphs ?? [[0, only]],
    genesisTime:
      genesisTime === undefined ? FIRST_GENESIS_TIME : BigInt(new Date(genesisTime).getTime()) * 1000n,
    genesisTarget: target,
    lateGenesisTarget: target,
    ...(blockDelayMs === undefined ? {} : { blockDelayMs }),
    window: definition.difficultyWindow ?? DEVELOPMENT_WINDOW,
    firstEpochStartsLate: true,
    ...(forkEpoch === undefined ? {} : { forkEpoch }),
  };
}

function jsonIn(path: string): unknown {
  try {
    const { size } = statSync(path);
    if (size > MOST_FILE_BYTES) throw new RangeError(`it has more than ${MOST_FILE_BYTES} bytes`);
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new RangeError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function checked<T>(type: z.ZodType<T>, given: unknown, what: string): T {
  const { data, error } = type.safeParse(given);
  if (!error) return data;
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys')
    throw new RangeError(`${what} has no field ${issue.keys.join(', ')}`);
  const field = issue?.path[0];
  if (field === undefined && issue?.code === 'invalid_type')
    throw new RangeError(`${what} must be a JSON object`);
  throw new RangeError(
    `${what}: ${field === undefined ? 'it' : String(field)} ${issue?.message ?? 'is not valid'}`,
  );
}
