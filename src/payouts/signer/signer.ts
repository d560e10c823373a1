/**
 * Who signs: a key file (`file-signer.ts`) or a program of the operator's (`command-signer.ts`). Whoever it is, what comes back is
 * checked before it is believed.
 */
import type { Signatures } from '../../chain/transfers/envelope.js';
import type { Amount } from '../../core/money/amount.js';
import type { Attempt } from '../command/nonce.js';
import type { Dead } from './quicksign.js';

/** One command to sign. All of it but the text is there to be compared with what the text says. */
export interface SignRequest extends Attempt {
  readonly cmd: string;
  readonly requestKey: string;
  /** That pays. */
  readonly account: string;
  readonly amount: Amount;
  readonly chainId: number;
}

export type SignOutcome =
  /** `partial`: good, and not enough: other keys have to sign too. */
  | Exclude<Signatures, { readonly is: 'bad' }>
  /** It will not; asking again changes nothing. `why`: a sentence. */
  | { readonly is: 'refused'; readonly why: string }
  /** It could not, or what came back is wrong; it may be asked again. `why`: a sentence. */
  | { readonly is: 'failed'; readonly why: string };

export interface Signer {
  /** With which it signs. */
  readonly publicKeys: readonly string[];
  /** An outcome for each request, in their order. Rejects for nothing that a signer can do; the same request may come again. */
  sign(requests: readonly SignRequest[], signal?: AbortSignal): Promise<readonly SignOutcome[]>;
  /**
   * These commands can never be included any more, for the reasons given: other ones of their payments may be signed.
   * Nothing happens for one that it never signed. Rejects with {@link SignerError} when that could not be kept.
   */
  markDead(dead: readonly Dead[]): Promise<void>;
  close(): Promise<void>;
}

type SignerErrorCode =
  | 'no-file'
  | 'no-permission'
  | 'exists'
  | 'bad-file'
  | 'bad-passphrase'
  | 'needs-passphrase'
  | 'broken'
  | 'command-failed';

/** Holds no secret, in no part. */
export class SignerError extends Error {
  override readonly name = 'SignerError';
  readonly code: SignerErrorCode;

  constructor(code: SignerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
