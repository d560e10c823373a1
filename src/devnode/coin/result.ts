/** What comes out of a command, in the form in which real nodes put it into blocks and answers. */
import { blake2b } from '@noble/hashes/blake2.js';
import { toBase64Url } from '../../core/bytes/bytes.js';
import { type Value, valueJson } from './codec.js';

/** `TxFailure`: the contract says no; `EvalError`: what was asked cannot be; `SyntaxError`: it cannot be read. */
export interface Failure {
  readonly type: 'TxFailure' | 'EvalError' | 'SyntaxError';
  readonly message: string;
}

/** A command that fails: it is in its block, and its sender pays all its gas. */
export class PactError extends Error {
  override readonly name = 'PactError';
  readonly code = 'pact';
  readonly failure: Failure;

  readonly isOutOfGas: boolean;

  constructor(type: Failure['type'], message: string, isOutOfGas = false) {
    super(message);
    this.failure = { type, message };
    this.isOutOfGas = isOutOfGas;
  }
}

/** The contract says no. */
export function txFailure(message: string): PactError {
  return new PactError('TxFailure', message);
}

/** What was asked for cannot be. */
export function evalError(message: string): PactError {
  return new PactError('EvalError', message);
}

export interface Event {
  readonly name: 'TRANSFER' | 'TRANSMIT';
  readonly params: readonly Value[];
}

export interface Outcome {
  readonly requestKey: string;
  /** Units of gas, all of the limit after a failure. */
  readonly gas: number;
  readonly result: { readonly data: Value } | { readonly failure: Failure };
  readonly events: readonly Event[];
  /** Absent after a failure. */
  readonly txId: number | undefined;
  readonly hasLogs: boolean;
}

/** Of the contract on the public networks today. */
const MODULE_HASH = 'klFkrLfpyLW-M3xjVPSdqXEMgxPPJibRt_D6qiBws6s';
const LONGEST_MESSAGE = 256;

/** @param metaData JSON; what is in a block has none. */
export function outputJson(outcome: Outcome, metaData = 'null'): string {
  const { gas, requestKey, events, txId, hasLogs } = outcome;
  const told = events.map(eventJson).join();
  return (
    `{"gas":${gas},"result":${resultJson(outcome.result)},"reqKey":"${requestKey}",` +
    `"logs":${hasLogs ? `"${hashOf(told)}"` : 'null'},${told === '' ? '' : `"events":[${told}],`}` +
    `"metaData":${metaData},"continuation":null,"txId":${txId ?? 'null'}}`
  );
}

/** An output from a block, with what is said of that block: as text, since a double does not hold every number. */
export function withMetaData(output: string, metaData: object): string {
  const at = output.lastIndexOf(NO_META_DATA);
  return `${output.slice(0, at)}"metaData":${JSON.stringify(metaData)}${output.slice(at + NO_META_DATA.length)}`;
}

const NO_META_DATA = '"metaData":null';

function resultJson(result: Outcome['result']): string {
  if ('data' in result) return `{"status":"success","data":${valueJson(result.data)}}`;
  const { type, message } = result.failure;
  const error = { callStack: [], type, message: message.slice(0, LONGEST_MESSAGE), info: '<toplevel>:0' };
  return `{"status":"failure","error":${JSON.stringify(error)}}`;
}

function eventJson({ name, params }: Event): string {
  return (
    `{"params":${valueJson(params)},"name":"${name}","module":{"namespace":null,"name":"coin"},` +
    `"moduleHash":"${MODULE_HASH}"}`
  );
}

/** Stands for the log of what was written, which only real nodes have: any stable text does for their clients. */
function hashOf(text: string): string {
  return toBase64Url(blake2b(new TextEncoder().encode(text), { dkLen: 32 }));
}

/** As a command stands in a block; its `cmd` is as its signer wrote it. */
export function commandJson(hash: string, sigs: readonly string[], cmd: string): string {
  return JSON.stringify({ hash, sigs: sigs.map((sig) => ({ sig })), cmd });
}
