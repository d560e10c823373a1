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
import { storable } from '../../core/names/names.js';
import type { GivenSignature } from '../command/envelope.js';
import { LONGEST_COMMAND } from '../command/read.js';

export interface CommandSigData {
  readonly cmd: string;
  readonly sigs: readonly GivenSignature[];
}

export interface Dead {
  readonly requestKey: string;
  readonly evidence: string;
}

export interface QuicksignRequest {
  readonly cmdSigDatas: readonly CommandSigData[];
  readonly dead: readonly Dead[];
}

export type QuicksignOutcome =
  | { readonly result: 'success'; readonly hash: string }
  | { readonly result: 'failure'; readonly msg: string }
  | { readonly result: 'noSig' };

export interface QuicksignResponse {
  readonly commandSigData: CommandSigData;
  readonly outcome: QuicksignOutcome;
}

/** Text where it is an error. */
export type QuicksignAnswer =
  | { readonly is: 'responses'; readonly responses: readonly QuicksignResponse[] }
  | { readonly is: 'error'; readonly type: string; readonly msg: string }
  /** `why`: a sentence that follows on "its answer". */
  | { readonly is: 'unreadable'; readonly why: string };

const MOST_COMMANDS = 1000;
const MOST_SIGNATURES = 16;
const LONGEST_WORDS = 300;

type Fields = Readonly<Record<string, unknown>>;

export function quicksignRequestText({ cmdSigDatas, dead }: QuicksignRequest): string {
  return `${JSON.stringify({ cmdSigDatas, ...(dead.length === 0 ? {} : { dead }) })}\n`;
}

export function quicksignAnswerText(responses: readonly QuicksignResponse[]): string {
  return `${JSON.stringify({ responses })}\n`;
}

export function quicksignErrorText(msg: string): string {
  return `${JSON.stringify({ error: { type: 'other', msg } })}\n`;
}

/** A sentence where it is none. */
export function readQuicksignRequest(text: string, most = MOST_COMMANDS): QuicksignRequest | string {
  const { cmdSigDatas, dead = [] } = fieldsOf(parsed(text));
  if (!Array.isArray(cmdSigDatas) || cmdSigDatas.length > most)
    return `"cmdSigDatas" must be a list of at most ${most}`;
  if (!Array.isArray(dead) || dead.length > MOST_COMMANDS)
    return `"dead" must be a list of at most ${MOST_COMMANDS}`;
  const datas = cmdSigDatas.map(readData);
  const marks = dead.map((one) => {
    const { requestKey, evidence } = fieldsOf(one);
    return typeof requestKey === 'string' && typeof evidence === 'string'
      ? { requestKey, evidence }
      : undefined;
  });
  if (!areAll(datas))
    return 'each of "cmdSigDatas" must have the text "cmd" and the list "sigs" of "pubKey" and "sig"';
  if (!areAll(marks)) return 'each of "dead" must have the texts "requestKey" and "evidence"';
  return { cmdSigDatas: datas, dead: marks };
}

export function readQuicksignAnswer(text: string, most = MOST_COMMANDS): QuicksignAnswer {
  const value = parsed(text);
  if (value === undefined) return { is: 'unreadable', why: 'is no JSON' };
  const { responses, error } = fieldsOf(value);
  if (error !== undefined) {
    const { type, msg } = fieldsOf(error);
    return { is: 'error', type: wordsOf(type), msg: wordsOf(msg) };
  }
  if (!Array.isArray(responses)) return { is: 'unreadable', why: 'has no list "responses"' };
  if (responses.length > most) return { is: 'unreadable', why: `has more than ${most} responses` };
  const read = responses.map(readResponse);
  if (areAll(read)) return { is: 'responses', responses: read };
  return { is: 'unreadable', why: 'has a response without a command, its signatures or an outcome' };
}

function readResponse(json: unknown): QuicksignResponse | undefined {
  const { commandSigData, outcome } = fieldsOf(json);
  const { result, msg, hash } = fieldsOf(outcome);
  const data = readData(commandSigData);
  if (!data) return undefined;
  if (result === 'success') return { commandSigData: data, outcome: { result, hash: wordsOf(hash) } };
  if (result === 'failure') return { commandSigData: data, outcome: { result, msg: wordsOf(msg) } };
  return result === 'noSig' ? { commandSigData: data, outcome: { result } } : undefined;
}

function readData(json: unknown): CommandSigData | undefined {
  const { cmd, sigs } = fieldsOf(json);
  if (typeof cmd !== 'string' || cmd.length > LONGEST_COMMAND) return undefined;
  if (!Array.isArray(sigs) || sigs.length > MOST_SIGNATURES) return undefined;
  const read = sigs.map((one): GivenSignature | undefined => {
    const { pubKey, sig = null } = fieldsOf(one);
    return typeof pubKey === 'string' && (typeof sig === 'string' || sig === null)
      ? { pubKey, sig }
      : undefined;
  });
  return areAll(read) ? { cmd, sigs: read } : undefined;
}

function areAll<T>(all: readonly (T | undefined)[]): all is readonly T[] {
  return !all.includes(undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

const wordsOf = (value: unknown): string => (typeof value === 'string' ? storable(value, LONGEST_WORDS) : '');
