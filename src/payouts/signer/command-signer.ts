/**
 * A program of the operator's signs. It is started for each question, without a shell, and gets quicksign
 * on standard input. Nothing that it answers is believed: each signature is checked against the command as we have it.
 */
import { checkSignatures } from '../../chain/transfers/envelope.js';
import { inOrder } from '../turns.js';
import { askChild, type ChildLimits } from './child.js';
import { type MaySign, maySign, type ReadRequest, signReadable } from './may-sign.js';
import {
  type QuicksignAnswer,
  type QuicksignRequest,
  type QuicksignResponse,
  quicksignText,
  readQuicksignAnswer,
} from './quicksign.js';
import { type Signer, SignerError, type SignOutcome } from './signer.js';

interface CommandSignerOptions extends MaySign {
  /** A program and its arguments. */
  readonly command: readonly string[];
  /** With which it signs, as the operator says. */
  readonly publicKeys: readonly string[];
  readonly limits?: Partial<ChildLimits>;
}

const LIMITS: ChildLimits = { timeoutMs: 60_000, mostBytes: 16 * 2 ** 20 };
/** Each question is one start of the program. */
const COMMANDS_A_QUESTION = 100;
const DEAD_A_QUESTION = 1_000;

export function commandSigner(options: CommandSignerOptions): Signer {
  const closing = new AbortController();
  /** A signer may allow only one of it. */
  const oneAtATime = inOrder();
  const limits = { ...LIMITS, ...options.limits };
  /** A sentence where it did not answer. */
  const ask = async (request: QuicksignRequest, signal?: AbortSignal): Promise<QuicksignAnswer | string> => {
    const both = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    const answer = await askChild(options.command, quicksignText(request), limits, both);
    if (answer.is === 'failed') return `the signer ${answer.why}`;
    const read = readQuicksignAnswer(answer.text);
    return typeof read === 'string' ? `the signer's answer ${read}` : read;
  };
  const signSome = async (
    requests: readonly ReadRequest[],
    signal: AbortSignal | undefined,
  ): Promise<readonly SignOutcome[]> => {
    const cmdSigDatas = requests.map(({ cmd, transfer }) => ({
      cmd,
      sigs: transfer.from.publicKeys.map((pubKey) => ({ pubKey, sig: null })),
    }));
    return outcomesOf(requests, await ask({ cmdSigDatas }, signal));
  };
  return {
    publicKeys: options.publicKeys,
    sign: (requests, signal) =>
      oneAtATime(() =>
        signReadable(
          requests.map((request) => maySign(request, options)),
          async (those) => {
            const outcomes: SignOutcome[] = [];
            for (let from = 0; from < those.length; from += COMMANDS_A_QUESTION)
              outcomes.push(...(await signSome(those.slice(from, from + COMMANDS_A_QUESTION), signal)));
            return outcomes;
          },
        ),
      ),
    markDead: (dead) =>
      oneAtATime(async () => {
        for (let from = 0; from < dead.length; from += DEAD_A_QUESTION)
          refuseUnkept(await ask({ cmdSigDatas: [], dead: dead.slice(from, from + DEAD_A_QUESTION) }));
      }),
    async close() {
      closing.abort();
      await oneAtATime(async () => undefined);
    },
  };
}

/** Who keeps no log has no words for what is dead: an empty list is then what it minds. */
function refuseUnkept(answer: QuicksignAnswer | string): void {
  if (typeof answer === 'string') throw new SignerError('command-failed', answer);
  if ('responses' in answer || answer.error.type === 'emptyList') return;
  const words = answer.error.msg || answer.error.type;
  throw new SignerError('command-failed', `the signer did not take what is dead: ${words}`);
}

const failed = (why: string): SignOutcome => ({ is: 'failed', why });

function outcomesOf(
  requests: readonly ReadRequest[],
  answer: QuicksignAnswer | string,
): readonly SignOutcome[] {
  const all = (outcome: SignOutcome): readonly SignOutcome[] => requests.map(() => outcome);
  if (typeof answer === 'string') return all(failed(answer));
  if ('error' in answer) {
    const { type, msg } = answer.error;
    if (type === 'reject') return all({ is: 'refused', why: 'the signer rejected it' });
    return all(failed(`the signer says: ${msg || type}`));
  }
  const { responses } = answer;
  const asked = new Set(requests.map(({ cmd }) => cmd));
  if (responses.some(({ commandSigData }) => !asked.has(commandSigData.cmd)))
    return all(failed('the signer answered for a command that it was not asked for'));
  return requests.map((request) => {
    const own = responses.filter(({ commandSigData }) => commandSigData.cmd === request.cmd);
    return outcomeOf(request, own);
  });
}

function outcomeOf(
  { cmd, requestKey, transfer }: ReadRequest,
  [response, ...more]: readonly QuicksignResponse[],
): SignOutcome {
  if (!response) return failed('the signer did not answer for this command');
  if (more.length > 0) return failed('the signer answered more than once for this command');
  const { outcome, commandSigData } = response;
  if (outcome.result === 'failure') return { is: 'refused', why: `the signer says: ${outcome.msg || 'no'}` };
  if (outcome.result === 'noSig') return { is: 'refused', why: 'the signer has no key for it' };
  if (outcome.hash !== requestKey)
    return failed(`the signer signed ${outcome.hash.slice(0, 43)}, and not ${requestKey}`);
  const checked = checkSignatures(cmd, transfer.from.publicKeys, commandSigData.sigs);
  if (checked.is === 'bad') return failed(`the signer: ${checked.why}`);
  if (checked.signatures.length > 0) return checked;
  return failed('the signer says that it signed, and gave no signature');
}
