/**
 * Reads the messages of `messages.ts`, tolerantly, and says in a sentence what is wrong with what is none.
 *
 * No parser throws, whatever the line holds.
 */

import { NONCE2_BYTES, nonce2FromHex } from '../core/jobs/nonce.js';
import { HEADER_BYTES } from '../core/work/header.js';
import { type Target, targetFromHexBigEndian } from '../core/work/target.js';
import { ERROR_CODES, type ErrorCode } from './errors.js';
import {
  idIn,
  isList,
  isObject,
  type JsonObject,
  type JsonValue,
  NO_ID,
  parseJson,
  type RequestId,
  show,
} from './json.js';
import type {
  Malformed,
  NonceLayout,
  Reconnect,
  Response,
  ResponseError,
  RigMessage,
  ServerMessage,
} from './messages.js';

const NONCE_BYTES = 8;

/** Reads a line from a rig. */
export function parseRigMessage(line: string): RigMessage {
  const envelope = openEnvelope(line);
  if (envelope.kind === 'call') return requestFrom(envelope);
  return envelope;
}

/** Reads a line from a server. */
export function parseServerMessage(line: string): ServerMessage {
  const envelope = openEnvelope(line);
  if (envelope.kind === 'call') return noticeFrom(envelope);
  return envelope;
}

/** Reads the result of `mining.subscribe`; the first element differs between servers. `undefined` when it is none. */
export function parseSubscribeResult(result: JsonValue): NonceLayout | undefined {
  return isList(result) ? nonceLayoutOf(result[1], result[2]) : undefined;
}

interface Call {
  readonly kind: 'call';
  readonly id: RequestId;
  readonly method: string;
  readonly params: readonly JsonValue[];
}

function openEnvelope(line: string): Call | Response | Malformed {
  const parsed = parseJson(line);
  if ('fault' in parsed) {
    return malformed(NO_ID, ERROR_CODES.parse, `this line is no JSON: ${parsed.fault}`);
  }
  const message = parsed.value;
  if (!isObject(message)) {
    return malformed(NO_ID, ERROR_CODES.invalidRequest, `a message is a JSON object, not ${show(message)}`);
  }
  const id = idIn(message, line);
  const method = message['method'] ?? null;
  if (method === null && ('result' in message || 'error' in message)) return responseFrom(id, message);
  if (typeof method !== 'string') {
    return malformed(
      id,
      ERROR_CODES.invalidRequest,
      `"method" must be a text, not ${show(message['method'])}`,
    );
  }
  const params = message['params'] ?? [];
  if (isList(params)) return { kind: 'call', id, method, params };
  return malformed(id, ERROR_CODES.invalidParams, `"params" must be a list, not ${show(params)}`, method);
}

function malformed(id: RequestId, code: ErrorCode, detail: string, method?: string): Malformed {
  return { kind: 'malformed', id, code, detail, ...(method === undefined ? {} : { method }) };
}

function wrongParams({ id, method }: Call, detail: string): Malformed {
  return malformed(id, ERROR_CODES.invalidParams, `${method}: ${detail}`, method);
}

function responseFrom(id: RequestId, message: JsonObject): Response {
  const error = errorFrom(message['error'] ?? null);
  return { kind: 'response', id, result: message['result'] ?? null, ...(error ? { error } : {}) };
}

function errorFrom(error: JsonValue): ResponseError | undefined {
  if (error === null || error === false) return undefined;
  const [code, message] = isList(error) ? error : isObject(error) ? [error['code'], error['message']] : [];
  return {
    code: typeof code === 'number' ? code : ERROR_CODES.other,
    message: typeof message === 'string' ? message : typeof error === 'string' ? error : show(error),
  };
}

function requestFrom(c: Call): RigMessage {
  const { id, params } = c;
  switch (c.method) {
    case 'mining.subscribe':
      return subscribeFrom(c);
    case 'mining.authorize':
      return authorizeFrom(c);
    case 'mining.submit':
      return submitFrom(c);
    case 'mining.extranonce.subscribe':
      return { kind: 'extranonceSubscribe', id };
    case 'mining.configure':
      return configureFrom(c);
    case 'mining.suggest_difficulty': {
      const difficulty = typeof params[0] === 'string' ? Number(params[0]) : params[0];
      if (typeof difficulty === 'number' && difficulty > 0 && Number.isFinite(difficulty)) {
        return { kind: 'suggestDifficulty', id, difficulty };
      }
      return wrongParams(c, `the difficulty must be a number above zero, not ${show(params[0])}`);
    }
    case 'mining.suggest_target': {
      const target = targetFrom(params[0]);
      return target ? { kind: 'suggestTarget', id, target } : wrongParams(c, targetFault(params[0]));
    }
    case 'mining.ping':
      return { kind: 'ping', id };
    default:
      return { kind: 'unknown', id, method: c.method };
  }
}

function subscribeFrom(c: Call): RigMessage {
  const [agent = null, resume = null] = c.params;
  if (agent !== null && typeof agent !== 'string') {
    return wrongParams(c, `the agent must be a text, not ${show(agent)}`);
  }
  return {
    kind: 'subscribe',
    id: c.id,
    agent: agent ?? '',
    ...(typeof resume === 'string' ? { resume } : {}),
  };
}

function authorizeFrom(c: Call): RigMessage {
  const [login, password = null] = c.params;
  if (typeof login !== 'string' || login === '') {
    return wrongParams(c, `the login must be a text "account.rig", not ${show(login)}`);
  }
  return { kind: 'authorize', id: c.id, login, password: typeof password === 'string' ? password : '' };
}

function submitFrom(c: Call): RigMessage {
  const [login, jobId, nonce2Hex] = c.params;
  if (typeof login !== 'string') return wrongParams(c, `the login must be a text, not ${show(login)}`);
  if (typeof jobId !== 'string') return wrongParams(c, `the job id must be a text, not ${show(jobId)}`);
  const nonce2 = typeof nonce2Hex === 'string' ? nonce2FromHex(nonce2Hex) : undefined;
  if (nonce2 === undefined) {
    return wrongParams(
      c,
      `nonce2 must be a text of 1 to ${2 * NONCE2_BYTES} hex digits, not ${show(nonce2Hex)}`,
    );
  }
  return { kind: 'submit', id: c.id, login, jobId, nonce2 };
}

function configureFrom(c: Call): RigMessage {
  const extensions = c.params[0] ?? [];
  if (!isList(extensions)) {
    return wrongParams(c, `the extensions must be a list, not ${show(extensions)}`);
  }
  const names = extensions.filter((name) => typeof name === 'string');
  return { kind: 'configure', id: c.id, extensions: names };
}

function noticeFrom(c: Call): ServerMessage {
  const { params } = c;
  switch (c.method) {
    case 'mining.notify':
      return notifyFrom(c);
    case 'mining.set_target': {
      const target = targetFrom(params[0]);
      return target ? { kind: 'setTarget', target } : wrongParams(c, targetFault(params[0]));
    }
    case 'mining.set_difficulty': {
      const [difficulty] = params;
      if (typeof difficulty === 'number' && difficulty > 0 && Number.isFinite(difficulty))
        return { kind: 'setDifficulty', difficulty };
      return wrongParams(c, `the difficulty must be a number above zero, not ${show(difficulty)}`);
    }
    case 'mining.set_extranonce': {
      const layout = nonceLayoutOf(params[0], params[1]);
      if (layout) return { kind: 'setExtranonce', ...layout };
      return wrongParams(c, `expected nonce1 in hex and the bytes of nonce2, not ${show(params)}`);
    }
    case 'client.get_version':
      return { kind: 'getVersion', id: c.id };
    case 'client.reconnect':
      return reconnectFrom(params);
    case 'client.show_message':
      return { kind: 'showMessage', text: typeof params[0] === 'string' ? params[0] : show(params[0]) };
    default:
      return { kind: 'unknown', id: c.id, method: c.method };
  }
}

function notifyFrom(c: Call): ServerMessage {
  const [jobId, headerHex, clean] = c.params;
  if (typeof jobId !== 'string') return wrongParams(c, `the job id must be a text, not ${show(jobId)}`);
  if (typeof headerHex !== 'string' || !HEADER_HEX.test(headerHex)) {
    return wrongParams(c, `the header must be ${2 * HEADER_BYTES} hex digits, not ${show(headerHex)}`);
  }
  // Servers that leave the flag out void earlier work with each job.
  return {
    kind: 'notify',
    jobId,
    header: Uint8Array.from(Buffer.from(headerHex, 'hex')),
    clean: clean !== false,
  };
}

const HEADER_HEX = /^[0-9a-fA-F]{572}$/;

function reconnectFrom([host, port, waitSeconds]: readonly JsonValue[]): Reconnect {
  return {
    kind: 'reconnect',
    host: typeof host === 'string' ? host : '',
    port: toWholeNumber(port, 65_535),
    waitSeconds: toWholeNumber(waitSeconds, 86_400),
  };
}

/** Pools write these as numbers or as text; anything else is zero, "unsaid". */
function toWholeNumber(value: JsonValue | undefined, max: number): number {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number > 0 && number <= max ? number : 0;
}

function targetFrom(value: JsonValue | undefined): Target | undefined {
  return typeof value === 'string' ? targetFromHexBigEndian(value) : undefined;
}

function targetFault(value: JsonValue | undefined): string {
  return `the target must be 64 hex digits, highest first, not ${show(value)}`;
}

/** Some servers print nonce1 without leading zeros, so its size follows from that of nonce2. */
function nonceLayoutOf(nonce1: JsonValue | undefined, bytes: JsonValue | undefined): NonceLayout | undefined {
  if (typeof nonce1 !== 'string' || typeof bytes !== 'number' || !Number.isInteger(bytes)) return undefined;
  if (bytes < 1 || bytes > NONCE_BYTES) return undefined;
  const digits = 2 * (NONCE_BYTES - bytes);
  if (!/^[0-9a-fA-F]*$/.test(nonce1) || nonce1.length > digits) return undefined;
  return { nonce1Hex: nonce1.toLowerCase().padStart(digits, '0'), nonce2Bytes: bytes };
}
