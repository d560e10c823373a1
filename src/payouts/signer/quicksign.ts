/**
 * Quicksign, as wallets and signers of that ecosystem speak it (KIP-0017), over standard input and output:
 *
 *     {"cmdSigDatas":[{"cmd":"…","sigs":[{"pubKey":"…","sig":null}]}]}
 *     {"responses":[{"commandSigData":{"cmd":"…","sigs":[{"pubKey":"…","sig":"<128 hex>"}]},"outcome":{"result":"success","hash":"…"}},
 *                   {"commandSigData":{…},"outcome":{"result":"failure","msg":"…"}},
 *                   {"commandSigData":{…},"outcome":{"result":"noSig"}}]}
 *     {"error":{"type":"reject"}}, {"error":{"type":"emptyList"}}, {"error":{"type":"other","msg":"…"}}
 *
 * `"dead":[{"requestKey":"…","evidence":"…"}]` beside `cmdSigDatas` is ours: it tells what can never be included any more. Who does not
 * know it passes it over.
 */
import { z } from 'zod';
import { storable } from '../../core/names/names.js';
import { LONGEST_COMMAND } from '../command/read.js';
import { JSON_TEXT } from './json-text.js';

/** In a file that is read in; the bytes of a question or an answer hold fewer. */
const MOST_COMMANDS = 50_000;
const MOST_SIGNATURES = 16;
const LONGEST_WORDS = 300;

/** Of somebody else, and shown. */
const WORDS = z.string().transform((text) => storable(text, LONGEST_WORDS));

const SIGNATURE = z.object({ pubKey: z.string(), sig: z.string().nullable().default(null) });
const COMMAND = z.object({
  cmd: z.string().max(LONGEST_COMMAND),
  sigs: z.array(SIGNATURE).max(MOST_SIGNATURES),
});
const DEAD = z.object({ requestKey: z.string(), evidence: z.string() });
const REQUEST = z.object({
  cmdSigDatas: z.array(COMMAND).max(MOST_COMMANDS),
  dead: z.array(DEAD).max(MOST_COMMANDS).optional(),
});
const OUTCOME = z.discriminatedUnion('result', [
  z.object({ result: z.literal('success'), hash: WORDS }),
  z.object({ result: z.literal('failure'), msg: WORDS.default('') }),
  z.object({ result: z.literal('noSig') }),
]);
const RESPONSE = z.object({ commandSigData: COMMAND, outcome: OUTCOME });
const ANSWER = z.union([
  z.object({ error: z.object({ type: WORDS, msg: WORDS.default('') }) }),
  z.object({ responses: z.array(RESPONSE).max(MOST_COMMANDS) }),
]);

export type CommandSigData = z.output<typeof COMMAND>;
export type Dead = Readonly<z.output<typeof DEAD>>;
export type QuicksignRequest = z.output<typeof REQUEST>;
export type QuicksignResponse = z.output<typeof RESPONSE>;
export type QuicksignAnswer = z.output<typeof ANSWER>;

export function quicksignText(value: QuicksignRequest | QuicksignAnswer): string {
  return `${JSON.stringify(value)}\n`;
}

/** A sentence that follows on "the question" where it is none. */
export function readQuicksignRequest(text: string): QuicksignRequest | string {
  return readAs(REQUEST, text);
}

/** A sentence that follows on "its answer" where it is none. */
export function readQuicksignAnswer(text: string): QuicksignAnswer | string {
  return readAs(ANSWER, text);
}

function readAs<T>(schema: z.ZodType<T>, text: string): T | string {
  const { data, error } = JSON_TEXT.pipe(schema).safeParse(text);
  if (!error) return data;
  const [issue] = error.issues;
  // Of an answer, which is an error or a list of responses: what is wrong with the list.
  const inner = issue?.code === 'invalid_union' ? issue.errors.at(-1)?.[0] : undefined;
  const { path, message } = inner ?? issue ?? { path: [], message: 'it is none' };
  return `cannot be read${path.length > 0 ? ` at ${path.join('.')}` : ''}: ${message}`;
}
