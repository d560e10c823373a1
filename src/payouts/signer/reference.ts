/** The reference signer: quicksign in, quicksign out, by a signer that keeps limits of its own. `config/signer.js` starts it. */
import { readTransfer } from '../command/read.js';
import {
  type CommandSigData,
  type QuicksignOutcome,
  type QuicksignResponse,
  quicksignAnswerText,
  quicksignErrorText,
  readQuicksignRequest,
} from './quicksign.js';
import type { Signer, SignOutcome, SignRequest } from './signer.js';

/** More than a question of the bridge has: a hundred commands. */
export const LONGEST_QUESTION = 4 * 2 ** 20;

/** @param question JSON text. Resolves with the JSON text of the answer, whatever was asked. */
export async function answerQuicksign(question: string, signer: Signer): Promise<string> {
  if (question.length > LONGEST_QUESTION)
    return quicksignErrorText(`a question has at most ${LONGEST_QUESTION} characters`);
  const request = readQuicksignRequest(question);
  if (typeof request === 'string') return quicksignErrorText(request);
  for (const { requestKey, evidence } of request.dead) await signer.markDead(requestKey, evidence);
  const readable = request.cmdSigDatas.map(({ cmd }) => requestOf(cmd));
  const asked = readable.filter((one) => typeof one !== 'string');
  const signed = await signer.sign(asked);
  const failure = signed.find((outcome) => outcome.is === 'failed');
  // Not a refusal: the same may be asked again, and what was signed of it is signed again.
  if (failure) return quicksignErrorText(failure.why);
  const outcomes = signed[Symbol.iterator]();
  const responses = request.cmdSigDatas.map((data, i): QuicksignResponse => {
    const one = readable[i];
    if (typeof one === 'string') return { commandSigData: data, outcome: { result: 'failure', msg: one } };
    const outcome = outcomes.next().value ?? { is: 'failed', why: 'there is no outcome' };
    return responseOf(data, one?.requestKey ?? '', outcome);
  });
  return quicksignAnswerText(responses);
}

/** All of it from the text; a sentence where that is no transfer. */
function requestOf(cmd: string): SignRequest | string {
  const read = readTransfer(cmd);
  if (read.is === 'other') return `the command ${read.why}`;
  const { transfer, attempt, requestKey } = read;
  const { from, amount, chainId } = transfer;
  return { ...attempt, cmd, requestKey, account: from.account, amount, chainId };
}

function responseOf(data: CommandSigData, hash: string, outcome: SignOutcome): QuicksignResponse {
  if (outcome.is === 'refused' || outcome.is === 'failed')
    return { commandSigData: data, outcome: { result: 'failure', msg: outcome.why } };
  const own = outcome.is === 'partial' ? outcome.signatures : signaturesOf(data.cmd, outcome.envelope.sigs);
  const found = new Map(own.map(({ pubKey, sig }) => [pubKey, sig]));
  const success: QuicksignOutcome = { result: 'success', hash };
  // What others gave before stands as it came.
  const sigs = data.sigs.map(({ pubKey, sig }) => ({ pubKey, sig: found.get(pubKey) ?? sig }));
  for (const { pubKey, sig } of own)
    if (!sigs.some((one) => one.pubKey === pubKey)) sigs.push({ pubKey, sig });
  return { commandSigData: { cmd: data.cmd, sigs }, outcome: success };
}

function signaturesOf(
  cmd: string,
  sigs: readonly { readonly sig: string }[],
): readonly { readonly pubKey: string; readonly sig: string }[] {
  const read = readTransfer(cmd);
  if (read.is === 'other') return [];
  return read.transfer.from.publicKeys.map((pubKey, i) => ({ pubKey, sig: sigs[i]?.sig ?? '' }));
}
