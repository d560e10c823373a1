/**
 * A program of the operator's signs. It is started for each question, without a shell, and gets quicksign
 * on standard input. Nothing that it answers is believed: each signature is checked against the command as we have it.
 */
import { checkSignatures } from '../command/envelope.js';
import { askChild, type ChildLimits } from './child.js';
import { type MaySign, maySign, requestFault } from './may-sign.js';
import {
  type Dead,
  type QuicksignAnswer,
  type QuicksignResponse,
  quicksignRequestText,
  readQuicksignAnswer,
} from './quicksign.js';
import { type Signer, SignerError, type SignOutcome, type SignRequest } from './signer.js';

interface CommandSignerOptions extends MaySign {
  /** A program and its arguments. */
  readonly command: readonly string[];
  /** With which it signs, as the operator says. */
  readonly publicKeys: readonly string[];
  readonly limits?: Partial<ChildLimits>;
}

const LIMITS: ChildLimits = { timeoutMs: 60_000, mostBytes: 16 * 2 ** 20 };
/** Each question is one start of the program. */
const AT_ONCE = 100;

export function commandSigner(options: CommandSignerOptions): Signer {
  const closing = new AbortController();
  /** One question after the other: a signer may allow only one of it. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };
  const limits = { ...LIMITS, ...options.limits };
  const ask = async (text: string, signal?: AbortSignal): Promise<QuicksignAnswer | string> => {
    const both = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    const answer = await askChild(options.command, text, limits, both);
    return answer.is === 'failed' ? `the signer ${answer.why}` : readQuicksignAnswer(answer.text);
  };
  return {
    publicKeys: options.publicKeys,
    sign: (requests, signal) =>
      inTurn(async () => {
        const outcomes: SignOutcome[] = [];
        for (let from = 0; from < requests.length; from += AT_ONCE)
          outcomes.push(
            ...(await signSome(requests.slice(from, from + AT_ONCE), options, (text) => ask(text, signal))),
          );
        return outcomes;
      }),
    markDead: (requestKey, evidence) => inTurn(() => tellDead([{ requestKey, evidence }], ask)),
    async close() {
      closing.abort();
      await last.catch(() => undefined);
    },
  };
}

type Ask = (text: string) => Promise<QuicksignAnswer | string>;

/** Who keeps no log has no words for it: an empty list is then what it minds. */
async function tellDead(dead: readonly Dead[], ask: Ask): Promise<void> {
  const answer = await ask(quicksignRequestText({ cmdSigDatas: [], dead }));
  if (typeof answer === 'string') throw new SignerError('command-failed', answer);
  if (answer.is === 'responses' || (answer.is === 'error' && answer.type === 'emptyList')) return;
  throw new SignerError('command-failed', `the signer did not take what is dead: ${wordsOf(answer)}`);
}

function wordsOf(answer: QuicksignAnswer & { is: 'error' | 'unreadable' }): string {
  return answer.is === 'error' ? answer.msg || answer.type : `its answer ${answer.why}`;
}

interface Asked {
  readonly request: SignRequest;
  /** Of the command, in its order. */
  readonly signers: readonly string[];
}

async function signSome(
  requests: readonly SignRequest[],
  rules: MaySign,
  ask: Ask,
): Promise<readonly SignOutcome[]> {
  const judged = requests.map((request) => judge(request, rules));
  const asked = judged.filter((one) => typeof one !== 'string');
  if (asked.length === 0) return judged.map((why) => ({ is: 'refused', why: String(why) }));
  const cmdSigDatas = asked.map(({ request, signers }) => ({
    cmd: request.cmd,
    sigs: signers.map((pubKey) => ({ pubKey, sig: null })),
  }));
  const answer = await ask(quicksignRequestText({ cmdSigDatas, dead: [] }));
  const responses = typeof answer === 'string' ? failed(answer) : responsesOf(answer, asked);
  return judged.map((one): SignOutcome => {
    if (typeof one === 'string') return { is: 'refused', why: one };
    return 'is' in responses ? responses : outcomeOf(one, responses);
  });
}

/** A sentence where it is not even asked for. */
function judge(request: SignRequest, rules: MaySign): Asked | string {
  const judged = maySign(request.cmd, rules);
  if (judged.is === 'refused') return judged.why;
  return requestFault(request, judged) ?? { request, signers: judged.transfer.from.publicKeys };
}

const failed = (why: string): SignOutcome => ({ is: 'failed', why });

/** By command; an outcome of all where there are none. */
function responsesOf(
  answer: QuicksignAnswer,
  asked: readonly Asked[],
): ReadonlyMap<string, readonly QuicksignResponse[]> | SignOutcome {
  if (answer.is === 'unreadable') return failed(`the signer's answer ${answer.why}`);
  if (answer.is === 'error') {
    const words = answer.msg || answer.type;
    return answer.type === 'reject'
      ? { is: 'refused', why: 'the signer rejected it' }
      : failed(`the signer says: ${words}`);
  }
  const byCommand = new Map(asked.map(({ request }) => [request.cmd, [] as QuicksignResponse[]]));
  for (const response of answer.responses) {
    const own = byCommand.get(response.commandSigData.cmd);
    if (!own) return failed('the signer answered for a command that it was not asked for');
    own.push(response);
  }
  return byCommand;
}

function outcomeOf(
  { request, signers }: Asked,
  responses: ReadonlyMap<string, readonly QuicksignResponse[]>,
): SignOutcome {
  const [response, ...more] = responses.get(request.cmd) ?? [];
  if (!response) return failed('the signer did not answer for this command');
  if (more.length > 0) return failed('the signer answered more than once for this command');
  const { outcome, commandSigData } = response;
  if (outcome.result === 'failure') return { is: 'refused', why: `the signer says: ${outcome.msg || 'no'}` };
  if (outcome.result === 'noSig') return { is: 'refused', why: 'the signer has no key for it' };
  if (outcome.hash !== request.requestKey)
    return failed(`the signer signed ${outcome.hash.slice(0, 43)}, and not ${request.requestKey}`);
  const checked = checkSignatures(request.cmd, signers, commandSigData.sigs);
  if (checked.is === 'bad') return failed(`the signer: ${checked.why}`);
  if (checked.is === 'complete') return { is: 'signed', envelope: checked.envelope };
  const given = commandSigData.sigs.flatMap(({ pubKey, sig }) => (sig === null ? [] : [{ pubKey, sig }]));
  if (given.length === 0) return failed('the signer says that it signed, and gave no signature');
  return { is: 'partial', signatures: given, missing: checked.missing };
}
