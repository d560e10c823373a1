/** Transactions get their signatures. Those of some of their keys are kept, too: what is missing is added to them. */
import type { OpenTransaction, PayerRole, PayerState } from '../../bridge/payouts/payer-books.js';
import { checkSignatures } from '../../chain/transfers/envelope.js';
import { type Signer, SignerError } from '../signer/signer.js';
import { longestAgo, type Turn } from './turn.js';

/** For a block to come: what is nearly past its time is signed no more. */
const SPARE_MS = 60_000;
/** Of one question to the signer. */
const MOST_ASKED = 100;

/** True where some have signatures that they had not. */
export async function signNext(turn: Turn, state: PayerState): Promise<boolean> {
  const { signer, role, memory } = turn;
  if (!signer) return false;
  const hasSigned = ({ signatures }: OpenTransaction): boolean =>
    signer.publicKeys.every((key) => signatures.some(({ pubKey }) => pubKey === key));
  const inTime = state.open.filter(
    (one) => !one.isSigned && !hasSigned(one) && Number(one.untilMicros / 1000n) - state.nowMs > SPARE_MS,
  );
  const next = longestAgo(inTime, memory.askedAtMs);
  let isChanged = false;
  for (let i = 0; i < next.length; i += MOST_ASKED) {
    const some = next.slice(i, i + MOST_ASKED);
    for (const { id } of some) memory.askedAtMs.set(id, performance.now());
    if (!(await tellDead(turn, signer, some)) || !(await role.asking(some.map(({ id }) => id))))
      return isChanged;
    isChanged = (await askSigner(turn, signer, state, some)) || isChanged;
  }
  return isChanged;
}

/** Attempts before these: the signer signs no second command of a line whose first it takes for alive. False where it cannot be told now. */
async function tellDead(
  { memory: { toldDead }, log }: Turn,
  signer: Signer,
  some: readonly OpenTransaction[],
): Promise<boolean> {
  const dead = some.flatMap(({ deadKeys }) => deadKeys).filter((key) => !toldDead.has(key));
  const evidence = 'no block can have it any more';
  try {
    if (dead.length > 0) await signer.markDead(dead.map((requestKey) => ({ requestKey, evidence })));
  } catch (error) {
    if (!(error instanceof SignerError)) throw error;
    log.warn({ why: error.message }, NOT_SIGNED);
    return false;
  }
  for (const key of dead) toldDead.add(key);
  return true;
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
  const signed: Parameters<PayerRole['keepSignatures']>[0][number][] = [];
  for (const [i, { id, requestKey, cmd, signatures: before }] of some.entries()) {
    const outcome = outcomes[i];
    if (outcome?.is === 'refused') await role.refuse(id, `the signer refuses it: ${outcome.why}`);
    if (outcome?.is === 'failed') log.warn({ requestKey, why: outcome.why }, NOT_SIGNED);
    if (outcome?.is !== 'signed' && outcome?.is !== 'partial') continue;
    const signatures = joined(before, outcome.signatures);
    const isSigned = outcome.is === 'signed' || checkSignatures(cmd, publicKeys, signatures).is === 'signed';
    signed.push({ id, signatures, isSigned });
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
