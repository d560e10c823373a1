/** Compares the text of a transaction in the books with its line: for `ledger verify`, which knows nothing of such texts. */
import { requestKeyOf } from '../../chain/request-key.js';
import { parseAmount } from '../../core/money/amount.js';
import type { CheckCommand, KeptTransaction } from '../../ledger/proof/verify-payments.js';
import { nonceOf } from '../../payouts/command/nonce.js';
import { checkTransfer, readTransfer } from '../../payouts/command/read.js';

/** A text does not tell the predicate of the guard. */
const PREDICATES = ['keys-all', 'keys-any', 'keys-2'];

export const readCommand: CheckCommand = (kept) => {
  const { cmd, requestKey, chainId, lineChainId } = kept;
  if (requestKeyOf(cmd) !== requestKey) return [`its request key ${requestKey} is not the hash of its text`];
  if (lineChainId !== chainId)
    return [`it is for chain ${chainId}, and the payment for chain ${lineChainId}`];
  return whatDiffers(kept);
};

function whatDiffers(kept: KeptTransaction): readonly string[] {
  const { cmd, chainId, account, amount, gasPrice, attempt } = kept;
  for (const predicate of PREDICATES) {
    const read = readTransfer(cmd, predicate);
    if (read.is === 'other') continue;
    const { transfer, attempt: named } = read;
    const { creationTimeS, ttlS, gasLimit } = kept;
    return checkTransfer(cmd, {
      ...{ chainId, to: account, creationTimeS, ttlS, gasLimit },
      networkId: kept.network ?? transfer.networkId,
      from: { ...transfer.from, account: kept.payer ?? transfer.from.account },
      ...{ amount: parseAmount(amount) ?? 0n, gasPrice: parseAmount(gasPrice) ?? 0n },
      // Books that were restored have another id than those that it was built in, and what they found on the chain another number.
      nonce: nonceOf({
        ledgerId: named.ledgerId,
        paymentId: kept.isFound ? named.paymentId : kept.paymentId,
        attempt,
      }),
    });
  }
  const read = readTransfer(cmd);
  return read.is === 'other' ? [`the command ${read.why}`] : [];
}
