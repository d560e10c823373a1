/** The built-in signer: a key file and the log beside it. Nothing is signed before the log has it on the disk. */
import { fromBase64Url } from '../../core/bytes/bytes.js';
import type { Amount } from '../../core/money/amount.js';
import { checkSignatures } from '../command/envelope.js';
import { mapInTurns } from '../turns.js';
import type { SigningKey } from './key-bytes.js';
import { type AskPassphrase, openKeyFile } from './key-file.js';
import { type MaySign, maySign, requestFault, type ToSign } from './may-sign.js';
import { type Signer, SignerError, type SignOutcome, type SignRequest } from './signer.js';
import { openSignerLog, type SignerLog, signerLogOf } from './signer-log.js';

export interface FileSignerOptions extends MaySign {
  readonly keyFile: string;
  readonly passphrase?: AskPassphrase | undefined;
  /** Of what it signs in 24 hours. */
  readonly day?: Amount | undefined;
  readonly nowMs: () => number;
}

/** Throws {@link SignerError} where the key or the log cannot be used. */
export async function openFileSigner(options: FileSignerOptions): Promise<Signer> {
  const { keyFile, passphrase, day: daySum, nowMs } = options;
  const key = await openKeyFile(keyFile, passphrase);
  const log = await openSignerLog(signerLogOf(keyFile), { publicKey: key.publicKey, daySum, nowMs });
  return {
    publicKeys: [key.publicKey],
    sign: (requests, signal) => signAll(requests, { key, log, rules: options, signal }),
    markDead: (requestKey, evidence) => log.markDead(requestKey, evidence),
    close: () => log.close(),
  };
}

interface Signing {
  readonly key: SigningKey;
  readonly log: SignerLog;
  readonly rules: MaySign;
  readonly signal: AbortSignal | undefined;
}

/** To hash, sign and check one takes half a millisecond. */
const AT_A_TIME = 8;

async function signAll(
  requests: readonly SignRequest[],
  { key, log, rules, signal }: Signing,
): Promise<readonly SignOutcome[]> {
  if (signal?.aborted) return requests.map(() => ({ is: 'failed', why: 'it was given up' }));
  const judged = await mapInTurns(requests, AT_A_TIME, (request) => judge(request, key.publicKey, rules));
  const fine = judged.flatMap((one) => (one.is === 'fine' ? [one.signing] : []));
  try {
    const answers = (await log.append(fine))[Symbol.iterator]();
    return await mapInTurns(judged, AT_A_TIME, (one, i): SignOutcome => {
      if (one.is === 'refused') return one;
      const answer = answers.next().value;
      if (answer?.is === 'refused') return answer;
      return signOne(requests[i]?.cmd ?? '', one, key);
    });
  } catch (error) {
    // Without its line on the disk nothing is signed.
    if (!(error instanceof SignerError)) throw error;
    const { message } = error;
    return judged.map((one): SignOutcome => (one.is === 'refused' ? one : { is: 'failed', why: message }));
  }
}

function judge(request: SignRequest, publicKey: string, rules: MaySign): ToSign {
  const judged = maySign(request.cmd, rules);
  if (judged.is === 'refused') return judged;
  const fault = requestFault(request, judged);
  if (fault !== undefined) return { is: 'refused', why: fault };
  const { publicKeys } = judged.transfer.from;
  if (publicKeys.includes(publicKey)) return judged;
  return { is: 'refused', why: `its signers are ${publicKeys.join(', ')}, and the key here is ${publicKey}` };
}

function signOne(cmd: string, { transfer, signing }: ToSign & { is: 'fine' }, key: SigningKey): SignOutcome {
  const signed = fromBase64Url(signing.requestKey);
  if (!signed) return { is: 'failed', why: `its request key ${signing.requestKey} is no hash` };
  const own = { pubKey: key.publicKey, sig: key.sign(signed) };
  const checked = checkSignatures(cmd, transfer.from.publicKeys, [own]);
  if (checked.is === 'complete') return { is: 'signed', envelope: checked.envelope };
  if (checked.is === 'bad') return { is: 'failed', why: checked.why };
  return { is: 'partial', signatures: [own], missing: checked.missing };
}
