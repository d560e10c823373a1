/** Transactions get their signatures. Those of some of their keys are kept, too: what is missing is added to them. */
import type { OpenTransaction, PayerRole, PayerState } from '../../bridge/payouts/payer-books.js';
import { checkSignatures } from '../command/envelope.js';
import { checkedOutcome } from '../signer/checked.js';
import type { Signer } from '../signer/signer.js';
import { mapInTurns } from '../turns.js';
import { AT_ONCE, type Turn } from './turn.js';

/** For a block to come: what is nearly past its time is signed no more. */
const SPARE_MS = 60_000;
/** Of one question to the signer. */
const MOST_ASKED = 100;

/** True where some have signatures that they had not. */
export async function signNext(turn: Turn, state: PayerState): Promise<boolean> {
  const { signer, role } = turn;
  const inTime = state.open.filter(
    ({ isSigned, untilMicros }) => !isSigned && Number(untilMicros / 1000n) - state.nowMs > SPARE_MS,
  );
  if (!signer) return false;
  let isChanged = false;
  for (let i = 0; i < inTime.length; i += MOST_ASKED) {
    const some = inTime.slice(i, i + MOST_ASKED);
    await tellDead(turn, signer, some);
    if (!(await role.asking(some.map(({ id }) => id)))) return isChanged;
    isChanged = (await askSigner(turn, signer, state, some)) || isChanged;
  }
  return isChanged;
}

/** Attempts before these: the signer signs no second command of a line whose first it takes for alive. */
async function tellDead(
  { memory: { toldDead } }: Turn,
  signer: Signer,
  some: readonly OpenTransaction[],
): Promise<void> {
  for (const key of some.flatMap(({ deadKeys }) => deadKeys)) {
    if (toldDead.has(key)) continue;
    await signer.markDead(key, 'no block can have it any more');
    toldDead.add(key);
  }
}

async function askSigner(
  { role, terms, log, signal }: Turn,
  signer: Signer,
  { ledgerId }: PayerState,
  some: readonly OpenTransaction[],
): Promise<boolean> {
  const { account, publicKeys } = terms.from;
  const requests = some.map(({ lineId: paymentId, attempt, cmd, requestKey, amount, chainId }) => ({
    ...{ ledgerId, paymentId, attempt, cmd, requestKey, account, amount, chainId },
  }));
  const outcomes = await signer.sign(requests, signal);
  const checked = await mapInTurns(some, AT_ONCE, ({ cmd }, i) => {
    const outcome = outcomes[i];
    return outcome && checkedOutcome(cmd, publicKeys, outcome);
  });
  const signed: Parameters<PayerRole['keepSignatures']>[0][number][] = [];
  for (const [i, { id, requestKey, cmd, signatures: before }] of some.entries()) {
    const outcome = checked[i];
    if (outcome?.is === 'refused') await role.refuse(id, `the signer refuses it: ${outcome.why}`);
    if (outcome?.is === 'failed') log.warn({ requestKey, why: outcome.why }, NOT_SIGNED);
    if (outcome?.is !== 'signed' && outcome?.is !== 'partial') continue;
    const given =
      outcome.is === 'partial'
        ? outcome.signatures
        : publicKeys.map((pubKey, key) => ({ pubKey, sig: outcome.envelope.sigs[key]?.sig ?? '' }));
    const signatures = joined(before, given);
    signed.push({ id, signatures, isSigned: checkSignatures(cmd, publicKeys, signatures).is === 'complete' });
  }
  if (signed.length > 0) await role.keepSignatures(signed);
  return signed.length > 0;
}

const NOT_SIGNED = 'a payment is not signed yet: it is asked for again';

function joined(
  before: OpenTransaction['signatures'],
  given: OpenTransaction['signatures'],
): OpenTransaction['signatures'] {
  return [...new Map([...before, ...given].map((each) => [each.pubKey, each])).values()];
}
