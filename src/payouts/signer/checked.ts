/** What any signer gives is looked at once more where all of it passes: nothing else is kept in the books, or sent. */
import { checkSignatures, type GivenSignature } from '../command/envelope.js';
import type { SignOutcome } from './signer.js';

/**
 * As it came, or `failed`: signatures that are none of this command, or not all of those that it is said to have.
 *
 * @param signers of the command, in its order.
 */
export function checkedOutcome(cmd: string, signers: readonly string[], outcome: SignOutcome): SignOutcome {
  if (outcome.is !== 'signed' && outcome.is !== 'partial') return outcome;
  const checked = checkSignatures(cmd, signers, givenIn(outcome, signers));
  if (checked.is === 'bad') return failed(checked.why);
  if (outcome.is === 'partial') return outcome;
  if (checked.is === 'partial') return failed(`the signatures of ${checked.missing.join(', ')} are missing`);
  return { is: 'signed', envelope: checked.envelope };
}

function givenIn(
  outcome: SignOutcome & { is: 'signed' | 'partial' },
  signers: readonly string[],
): readonly GivenSignature[] {
  if (outcome.is === 'partial') return outcome.signatures;
  const { sigs } = outcome.envelope;
  return signers.map((pubKey, i) => ({ pubKey, sig: sigs[i]?.sig ?? null }));
}

const failed = (why: string): SignOutcome => ({
  is: 'failed',
  why: `what the signer gave is not used: ${why}`,
});
