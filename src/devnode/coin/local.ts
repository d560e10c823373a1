/** Runs a command on the chain as it is, for its answer alone: nothing is kept. */

import { numberText } from '../../core/money/decimal.js';
import { type Accounts, Draft } from './accounts.js';
import type { Command, Meta } from './command.js';
import { execute, runCode } from './execute.js';
import { type Failure, outputJson } from './result.js';

/** The block on top of which it would be. */
interface LocalPlace {
  readonly accounts: Accounts;
  readonly parentHash: string;
  /** Microseconds since the epoch. */
  readonly parentTime: bigint;
  readonly height: number;
}

/** The code alone, at nobody's cost. JSON. */
export function runLocal(command: Command, place: LocalPlace): string {
  const ran = runCode(command, new Draft(place.accounts));
  const common = { requestKey: command.hash, gas: ran.gas, txId: undefined, hasLogs: true };
  if ('failure' in ran) return failed(command, ran.failure);
  return outputJson({ ...common, result: { data: ran.data }, events: ran.events }, metaData(command, place));
}

const NO_MINER = { account: 'NoMiner', credit: (): undefined => undefined };

/** With its gas, as in a block of nobody. JSON. */
export function runPreflight(command: Command, place: LocalPlace): string {
  const done = execute(command, place.accounts, NO_MINER, 0);
  if (typeof done === 'string') return inPreflight(failed(command, { type: 'EvalError', message: done }));
  const { result } = done.outcome;
  // Real nodes answer so where code cannot even be read.
  if ('failure' in result && result.failure.type === 'SyntaxError') return failed(command, result.failure);
  return inPreflight(outputJson(done.outcome, metaData(command, place)));
}

function inPreflight(output: string): string {
  return `{"preflightResult":${output},"preflightWarnings":[]}`;
}

function failed({ hash, meta }: Command, failure: Failure): string {
  const common = { requestKey: hash, gas: meta.gasLimit, txId: undefined, hasLogs: false };
  return outputJson({ ...common, result: { failure }, events: [] });
}

function metaData({ meta }: Command, { parentHash, parentTime, height }: LocalPlace): string {
  return `{"publicMeta":${metaJson(meta)},"blockTime":${parentTime},"prevBlockHash":"${parentHash}","blockHeight":${height}}`;
}

function metaJson({ creationTime, ttl, gasLimit, chainId, gasPrice, sender }: Meta): string {
  return (
    `{"creationTime":${creationTime},"ttl":${ttl},"gasLimit":${gasLimit},"chainId":${JSON.stringify(chainId)},` +
    `"gasPrice":${numberText(gasPrice)},"sender":${JSON.stringify(sender)}}`
  );
}
