/** The reference signer: quicksign in, quicksign out, by a signer that keeps limits of its own. `config/signer.js` starts it. */
import { requestKeyOf } from '../../chain/request-key.js';
import { readRequest, signReadable } from './may-sign.js';
import {
  type CommandSigData,
  type QuicksignResponse,
  quicksignText,
  readQuicksignRequest,
} from './quicksign.js';
import type { Signer, SignOutcome } from './signer.js';

/** More than a question of the bridge has: a hundred commands. */
export const LONGEST_QUESTION = 4 * 2 ** 20;

/** @param question JSON text. Resolves with the JSON text of the answer, whatever was asked. */
export async function answerQuicksign(question: string, signer: Signer): Promise<string> {
  if (question.length > LONGEST_QUESTION)
    return errorText(`a question has at most ${LONGEST_QUESTION} characters`);
  const request = readQuicksignRequest(question);
  if (typeof request === 'string') return errorText(`the question ${request}`);
  const { cmdSigDatas, dead = [] } = request;
  await signer.markDead(dead);
  const outcomes = await signReadable(
    cmdSigDatas.map(({ cmd }) => readRequest(cmd)),
    (those) => signer.sign(those),
  );
  const responses: QuicksignResponse[] = [];
  for (const [i, data] of cmdSigDatas.entries()) {
    const outcome = outcomes[i];
    // Not a refusal: the same may be asked again, and what was signed of it is signed again.
    if (!outcome || outcome.is === 'failed') return errorText(outcome?.why ?? 'there is no outcome');
    responses.push(responseOf(data, outcome));
  }
  return quicksignText({ responses });
}

const errorText = (msg: string): string => quicksignText({ error: { type: 'other', msg } });

function responseOf(
  { cmd, sigs }: CommandSigData,
  outcome: Exclude<SignOutcome, { is: 'failed' }>,
): QuicksignResponse {
  if (outcome.is === 'refused')
    return { commandSigData: { cmd, sigs }, outcome: { result: 'failure', msg: outcome.why } };
  const own = new Map(outcome.signatures.map(({ pubKey, sig }) => [pubKey, sig]));
  // What others gave before stands as it came.
  const given = sigs.map(({ pubKey, sig }) => ({ pubKey, sig: own.get(pubKey) ?? sig }));
  const more = outcome.signatures.filter(({ pubKey }) => !sigs.some((one) => one.pubKey === pubKey));
  return {
    commandSigData: { cmd, sigs: [...given, ...more] },
    outcome: { result: 'success', hash: requestKeyOf(cmd) },
  };
}
