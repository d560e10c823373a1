/**
 * Every message between a rig and the bridge: one JSON object a line, both ways.
 *
 * The dialect is that of ASICs for this chain; its variants are listed at the types.
 */
import { toHex } from '../core/bytes/bytes.js';
import { NONCE2_BYTES, type Nonce1, type Nonce2, nonce1ToHex, nonce2ToHex } from '../core/jobs/nonce.js';
import { type Target, targetToHexBigEndian } from '../core/work/target.js';
import type { ErrorCode } from './errors.js';
import { type JsonValue, NO_ID, type RequestId } from './json.js';

/** `{"id":1,"method":"mining.subscribe","params":["agent/1.0",null]}`, or params `["agent/1.0"]`, `[]`. */
export interface SubscribeRequest {
  readonly kind: 'subscribe';
  readonly id: RequestId;
  /** Empty when the rig does not say. */
  readonly agent: string;
  /** A former nonce1 or resume token that the rig would like back; empty when it has none but would take a token. */
  readonly resume?: string;
}

/** `{"id":2,"method":"mining.authorize","params":["account.rig","x"]}`; the password may be absent or null. */
export interface AuthorizeRequest {
  readonly kind: 'authorize';
  readonly id: RequestId;
  readonly login: string;
  readonly password: string;
}

/** `{"id":3,"method":"mining.submit","params":["account.rig","5d4","456789abcdef"]}`; nonce2 in 1 to 12 hex digits. */
export interface SubmitRequest {
  readonly kind: 'submit';
  readonly id: RequestId;
  readonly login: string;
  readonly jobId: string;
  readonly nonce2: Nonce2;
}

/** `{"id":4,"method":"mining.extranonce.subscribe","params":[]}`: the rig takes `mining.set_extranonce`. */
interface ExtranonceSubscribeRequest {
  readonly kind: 'extranonceSubscribe';
  readonly id: RequestId;
}

/** `{"id":5,"method":"mining.configure","params":[["version-rolling"],{}]}`. */
export interface ConfigureRequest {
  readonly kind: 'configure';
  readonly id: RequestId;
  readonly extensions: readonly string[];
}

/** `{"id":6,"method":"mining.suggest_difficulty","params":[1000000]}`: expected hashes a share. */
interface SuggestDifficultyRequest {
  readonly kind: 'suggestDifficulty';
  readonly id: RequestId;
  readonly difficulty: number;
}

/** `{"id":7,"method":"mining.suggest_target","params":["00000000ffff…"]}`: 64 hex digits, highest first. */
interface SuggestTargetRequest {
  readonly kind: 'suggestTarget';
  readonly id: RequestId;
  readonly target: Target;
}

/** `{"id":8,"method":"mining.ping","params":[]}`. */
interface PingRequest {
  readonly kind: 'ping';
  readonly id: RequestId;
}

/** Any other method. */
interface UnknownRequest {
  readonly kind: 'unknown';
  readonly id: RequestId;
  readonly method: string;
}

/** `{"id":9,"result":true,"error":null}`: the answer to a request of the other side, either way. */
export interface Response {
  readonly kind: 'response';
  readonly id: RequestId;
  readonly result: JsonValue;
  readonly error?: ResponseError;
}

/** `[23,"the hash is above the share target",null]`; also read: `{"code":23,"message":"…"}`, `"…"`. */
export interface ResponseError {
  readonly code: number;
  readonly message: string;
}

/** What came is no message of the dialect. `detail` says why, `method` is there if it could be read. */
export interface Malformed {
  readonly kind: 'malformed';
  readonly id: RequestId;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly method?: string;
}

export type Request =
  | SubscribeRequest
  | AuthorizeRequest
  | SubmitRequest
  | ExtranonceSubscribeRequest
  | ConfigureRequest
  | SuggestDifficultyRequest
  | SuggestTargetRequest
  | PingRequest;

/** What a rig may send, as the bridge reads it. */
export type RigMessage = Request | UnknownRequest | Response | Malformed;

/** `{"id":null,"method":"mining.set_target","params":["0000000000400000…"]}`: highest digits first. */
interface SetTarget {
  readonly kind: 'setTarget';
  readonly target: Target;
}

/** `{"id":null,"method":"mining.notify","params":["5d4","0000…",true]}`: 572 hex digits, nonce bytes zero; `clean` may be absent. */
export interface Notify {
  readonly kind: 'notify';
  readonly jobId: string;
  /** 286 bytes. */
  readonly header: Uint8Array;
  readonly clean: boolean;
}

/** `{"id":null,"method":"mining.set_difficulty","params":[1000]}`: other pools might send it, this bridge never does. */
interface SetDifficulty {
  readonly kind: 'setDifficulty';
  readonly difficulty: number;
}

/** `{"id":null,"method":"mining.set_extranonce","params":["0123",6]}`: another nonce1, from the next job on. */
interface SetExtranonce extends NonceLayout {
  readonly kind: 'setExtranonce';
}

/** `{"id":"v","method":"client.get_version","params":[]}`: wants the agent's name as result. */
interface GetVersion {
  readonly kind: 'getVersion';
  readonly id: RequestId;
}

/** `{"id":null,"method":"client.reconnect","params":["",0,5]}`: host and port, empty and 0 for the same, seconds to wait. */
export interface Reconnect {
  readonly kind: 'reconnect';
  readonly host: string;
  readonly port: number;
  readonly waitSeconds: number;
}

/** `{"id":null,"method":"client.show_message","params":["text"]}`. */
interface ShowMessage {
  readonly kind: 'showMessage';
  readonly text: string;
}

/** What the bridge sends, besides responses. */
export type Notice =
  | SetTarget
  | Notify
  | SetDifficulty
  | SetExtranonce
  | GetVersion
  | Reconnect
  | ShowMessage;

/** What a server may send, as a rig reads it. */
export type ServerMessage = Notice | UnknownRequest | Response | Malformed;

/** How the nonce is divided: `nonce1` with all its leading zeros, and the bytes left to the rig. */
export interface NonceLayout {
  readonly nonce1Hex: string;
  readonly nonce2Bytes: number;
}

export function encodeRequest(request: Request): string {
  const [method, params] = callOfRequest(request);
  return call(request.id, method, params);
}

export function encodeNotice(notice: Notice): string {
  const [method, params] = callOfNotice(notice);
  return call(notice.kind === 'getVersion' ? notice.id : NO_ID, method, params);
}

/** `result` of a refused request: false for those that answer true, null for the others. */
export function encodeResponse({ id, result, error }: Omit<Response, 'kind'>): string {
  const errorJson = error ? JSON.stringify([error.code, error.message, null]) : 'null';
  return `{"id":${id},"result":${result === true ? 'true' : JSON.stringify(result)},"error":${errorJson}}`;
}

/** The result of `mining.subscribe`: `[null,"0123",6]`; the first is a resume token for rigs that take one. */
export function subscribeResult(nonce1: Nonce1, token: string | null = null): JsonValue {
  return [token, nonce1ToHex(nonce1), NONCE2_BYTES];
}

type MethodAndParams = readonly [method: string, params: JsonValue];

function callOfRequest(request: Request): MethodAndParams {
  switch (request.kind) {
    case 'subscribe':
      return ['mining.subscribe', [request.agent, request.resume ?? null]];
    case 'authorize':
      return ['mining.authorize', [request.login, request.password]];
    case 'submit':
      return ['mining.submit', [request.login, request.jobId, nonce2ToHex(request.nonce2)]];
    case 'extranonceSubscribe':
      return ['mining.extranonce.subscribe', []];
    case 'configure':
      return ['mining.configure', [request.extensions, {}]];
    case 'suggestDifficulty':
      return ['mining.suggest_difficulty', [request.difficulty]];
    case 'suggestTarget':
      return ['mining.suggest_target', [targetToHexBigEndian(request.target)]];
    case 'ping':
      return ['mining.ping', []];
  }
}

function callOfNotice(notice: Notice): MethodAndParams {
  switch (notice.kind) {
    case 'setTarget':
      return ['mining.set_target', [targetToHexBigEndian(notice.target)]];
    case 'notify':
      return ['mining.notify', [notice.jobId, toHex(notice.header), notice.clean]];
    case 'setDifficulty':
      return ['mining.set_difficulty', [notice.difficulty]];
    case 'setExtranonce':
      return ['mining.set_extranonce', [notice.nonce1Hex, notice.nonce2Bytes]];
    case 'getVersion':
      return ['client.get_version', []];
    case 'reconnect':
      return ['client.reconnect', [notice.host, notice.port, notice.waitSeconds]];
    case 'showMessage':
      return ['client.show_message', [notice.text]];
  }
}

function call(id: RequestId, method: string, params: JsonValue): string {
  return `{"id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
}
