/**
 * Commands, and what comes of them, as real nodes carry them (`transfers.md`, 1 to 3).
 *
 *     send    {"cmds":[{"cmd":"…","hash":"…","sigs":[{"sig":"…"}]}]}  ->  {"requestKeys":["…"]}
 *     poll    {"requestKeys":["…"]}  ->  {"<request key>":{"gas":227,"result":{"status":"success","data":…},"reqKey":"…",…}}
 *     listen  {"listen":"<request key>"}  ->  the bare result
 *     local   one command  ->  the bare result, or {"preflightResult":…,"preflightWarnings":[…]}
 */
import { z } from 'zod';
import { decimalText, parseDecimal } from '../core/money/decimal.js';
import { hashModel, type Known } from './models.js';

const MOST_COMMANDS = 1000;
const MOST_KEYS = 1000;
const MOST_SIGNATURES = 1000;
/** More of a command than anybody sends: its text, and each of its signatures. */
const LONGEST_TEXT = 256 * 1024;

const text = (what: string) =>
  z.string(`must be ${what}`).max(LONGEST_TEXT, `must have at most ${LONGEST_TEXT} characters`);
const list = <T extends z.ZodType>(item: T, least: number, most: number, of: string) => {
  const says = `must be a list of ${least} to ${most} ${of}`;
  return z.array(item, says).min(least, says).max(most, says);
};

/** A signed command; its `cmd` is what its signers signed, to the letter. */
export const commandModel = z.looseObject({
  cmd: text('the text of the command'),
  /** The request key: BLAKE2b-256 of `cmd`. */
  hash: hashModel,
  sigs: list(z.looseObject({ sig: text('the text of the signature') }), 0, MOST_SIGNATURES, 'signatures'),
});
export const commandsModel = z.looseObject({ cmds: list(commandModel, 1, MOST_COMMANDS, 'commands') });
export const sentModel = z.looseObject({ requestKeys: z.array(hashModel) });
export const pollModel = z.looseObject({ requestKeys: list(hashModel, 1, MOST_KEYS, 'request keys') });
export const listenModel = z.looseObject({ listen: hashModel });
/** Whose transaction is to be proven, and to which chain. */
export const spvModel = z.looseObject({
  requestKey: hashModel,
  targetChainId: z.string().regex(/^\d{1,3}$/),
});

const eventModel = z.looseObject({
  name: z.string(),
  params: z.array(z.unknown()),
  module: z.looseObject({ namespace: z.string().nullish(), name: z.string() }),
  moduleHash: z.string(),
});

/** What a command gave: `data`, or why it failed. A failure is in its block like a success, and costs all its gas. */
const outcomeModel = z.discriminatedUnion('status', [
  z.looseObject({ status: z.literal('success'), data: z.unknown() }),
  z.looseObject({
    status: z.literal('failure'),
    /** `type`: `TxFailure`, `EvalError`, `SyntaxError`. */
    error: z.looseObject({ type: z.string().optional(), message: z.string().optional() }),
  }),
]);

/** Integers beyond 2^53 and decimals that no double holds are texts of their digits; {@link decimalIn} reads all forms. */
export const commandResultModel = z.looseObject({
  gas: z.number().int().nonnegative(),
  result: outcomeModel,
  reqKey: z.string(),
  logs: z.string().nullish(),
  /** Absent where there are none. */
  events: z.array(eventModel).optional(),
  /** Of the block that has it, or that it would be in; null after some failures. */
  metaData: z
    .looseObject({
      blockHash: hashModel.optional(),
      blockHeight: z.number().int().nonnegative().optional(),
      /** Microseconds since the epoch. */
      blockTime: z.number().int().nonnegative().optional(),
      prevBlockHash: z.string().optional(),
    })
    .nullish(),
  continuation: z.unknown(),
  txId: z.number().int().nullish(),
});

/** By request key. What is in no block that deep is not there. */
export const polledModel = z.record(hashModel, commandResultModel);
/** `undefined` where nothing came: older nodes end the wait with a success that says so, others with 504. */
export const listenedModel = z.union([
  z.looseObject({ status: z.literal('timeout') }).transform(() => undefined),
  commandResultModel,
]);
/** The result, with warnings after a preflight. Code that cannot be read is answered bare, whatever was asked for. */
export const localModel = z.union([
  z
    .looseObject({ preflightResult: commandResultModel, preflightWarnings: z.array(z.string()) })
    .transform(({ preflightResult, preflightWarnings: warnings }) => ({ ...preflightResult, warnings })),
  commandResultModel.transform((result) => ({ ...result, warnings: [] as string[] })),
]);

export interface SignedCommand {
  readonly cmd: string;
  readonly hash: string;
  readonly sigs: readonly { readonly sig: string }[];
}
export type CommandResult = Known<z.output<typeof commandResultModel>>;
export type LocalResult = Known<z.output<typeof localModel>>;

/**
 * A number of the contract language in any of its forms as plain digits (`0.00000001`): a JSON number, its digits as a text,
 * `{"decimal":"…"}`, `{"int":…}`. `undefined` for anything else.
 */
export function decimalIn(value: unknown): string | undefined {
  const { decimal, int } = Object(value) as { decimal?: unknown; int?: unknown };
  const given = decimal ?? int ?? value;
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  const read = parseDecimal(String(given));
  return read && decimalText(read);
}
