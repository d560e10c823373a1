/** The built-in signer: a key file and the log beside it. Nothing is signed before the log has it on the disk. */
import { requestKeyBytes } from '../../chain/request-key.js';
import { checkSignatures } from '../../chain/transfers/envelope.js';
import type { SigningKey } from '../../chain/transfers/signing-key.js';
import type { Amount } from '../../core/money/amount.js';
import { mapInTurns } from '../turns.js';
import { type AskPassphrase, openKeyFile } from './key-file.js';
import { type MaySign, maySign, type ReadRequest, signReadable } from './may-sign.js';
import type { Judgement } from './signed-book.js';
import { type Signer, SignerError, type SignOutcome, type SignRequest } from './signer.js';
import { openSignerLog, type SignerLog, signerLogOf } from './signer-log.js';

export interface FileSignerOptions extends MaySign {
  readonly keyFile: string;
  readonly passphrase?: AskPassphrase | undefined;
  /** Of what it signs in 24 hours. */
  readonly day?: Amount | undefined;
  readonly nowMs: () => number;
}

/** To hash, sign and check one takes up to a millisecond. */
const AT_A_TIME = 4;

/** Throws {@link SignerError} where the key or the log cannot be used. */
export async function openFileSigner(options: FileSignerOptions): Promise<Signer> {
  const { keyFile, passphrase, day: daySum, nowMs } = options;
  const key = await openKeyFile(keyFile, passphrase);
  const log = await openSignerLog(signerLogOf(keyFile), { publicKey: key.publicKey, daySum, nowMs });
  const judge = (request: SignRequest): ReadRequest | string => {
    const read = maySign(request, options);
    if (typeof read === 'string') return read;
    const { publicKeys } = read.transfer.from;
    if (publicKeys.includes(key.publicKey)) return read;
    return `its signers are ${publicKeys.join(', ')}, and the key here is ${key.publicKey}`;
  };
  return {
    publicKeys: [key.publicKey],
    async sign(requests, signal) {
      if (signal?.aborted) return requests.map(() => ({ is: 'failed', why: 'it was given up' }));
      const judged = await mapInTurns(requests, AT_A_TIME, judge);
      return signReadable(judged, (those) => signLogged(those, key, log));
    },
    markDead: (dead) => log.markDead(dead),
    close: () => log.close(),
  };
}

/** Without its line on the disk nothing is signed. */
async function signLogged(
  requests: readonly ReadRequest[],
  key: SigningKey,
  log: SignerLog,
): Promise<readonly SignOutcome[]> {
  const judgements = await log.append(requests).catch((error: unknown): readonly Judgement[] => {
    if (!(error instanceof SignerError)) throw error;
    return requests.map(() => ({ is: 'failed', why: error.message }));
  });
  return mapInTurns(requests, AT_A_TIME, ({ cmd, transfer }, i): SignOutcome => {
    const judgement = judgements[i];
    if (judgement?.is !== 'new' && judgement?.is !== 'known')
      return judgement ?? { is: 'failed', why: 'the signer log did not judge it' };
    const own = { pubKey: key.publicKey, sig: key.sign(requestKeyBytes(cmd)) };
    const checked = checkSignatures(cmd, transfer.from.publicKeys, [own]);
    return checked.is === 'bad' ? { is: 'failed', why: checked.why } : checked;
  });
}
