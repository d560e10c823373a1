/** New batches: what is due by the schedule is spread over the chains, compared with the limits, and prepared. */
import type {
  Bespoken,
  DueAccount,
  LiveTransaction,
  NewBatch,
  PayerState,
} from '../../bridge/payouts/payer-books.js';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { contentHash } from '../plan/content-hash.js';
import { exceededBy } from '../plan/limits.js';
import { type PaymentDue, type Plan, planSteps, type WaitingPayment } from '../plan/planner.js';
import { atOnce, inTurns } from '../turns.js';
import { pausedByBooks } from './checks.js';
import { isReading, type LookedAt } from './look.js';
import type { Round } from './parts.js';
import { type Funded, fundsOf } from './rooms.js';
import { faultOf } from './send.js';

/** Of one batch. */
export const MOST_ACCOUNTS = 10_000;

export async function planNext(
  round: Round,
  state: PayerState,
  chains: ReadonlyMap<number, LookedAt>,
  live: readonly LiveTransaction[],
): Promise<void> {
  const { seat, terms, memory, nextAfter } = round;
  memory.startedAtMs ??= state.nowMs;
  const dueAtMs = nextAfter(state.ranAtMs ?? memory.startedAtMs);
  const isDue = dueAtMs !== undefined && dueAtMs <= state.nowMs;
  if (!isDue && !state.isAsked) {
    if (dueAtMs !== state.nextAtMs) await seat.ran({ isRun: false, nextAtMs: dueAtMs, whyNot: state.whyNot });
    return;
  }
  const reading = readingWords(chains);
  if (reading !== '') {
    if (reading !== state.whyNot) await seat.ran({ isRun: false, nextAtMs: dueAtMs, whyNot: reading });
    return;
  }
  const nextAtMs = nextAfter(state.nowMs);
  const due = await seat.due(terms.minimum, MOST_ACCOUNTS);
  const plan = await inTurns(planDueSteps(round, { due, chains, live, bespoken: await seat.bespoken() }));
  const whyNot = await makeBatch(round, state, plan);
  // What cannot be prepared now is tried again, until the next time has come.
  if (whyNot.isFinal) await seat.ran({ isRun: true, nextAtMs, whyNot: whyNot.says });
  else await seat.ran({ isRun: false, nextAtMs: dueAtMs, whyNot: whyNot.says });
}

/** A plan without chains that are about to be known would leave accounts out until the next one. Empty: nothing is to be read. */
function readingWords(chains: ReadonlyMap<number, LookedAt>): string {
  const reading = [...chains.values()].filter(({ sight }) => isReading(sight));
  const [first] = reading;
  if (!first) return '';
  const others = reading.length === 1 ? '' : `, and those of ${reading.length - 1} other chains`;
  return `${first.trouble}${others}`;
}

interface ToPlan {
  readonly due: readonly DueAccount[];
  readonly chains: ReadonlyMap<number, Funded>;
  readonly live: readonly LiveTransaction[];
  /** Lines of batches before. */
  readonly bespoken: readonly Bespoken[];
}

/** Which of those that are due are paid on which chain. Pure. */
export function planDue(round: Pick<Round, 'terms'>, toPlan: ToPlan): Plan {
  return atOnce(planDueSteps(round, toPlan));
}

/** Accounts that are looked at before others have their turn. */
const LOOKED_AT_A_TIME = 1_000;

/** The same, and yields now and then. */
function* planDueSteps(
  round: Pick<Round, 'terms'>,
  { due, chains, live, bespoken }: ToPlan,
): Generator<undefined, Plan> {
  const { gasLimit, gasPrice, split } = round.terms;
  const unpayable: WaitingPayment[] = [];
  const payments: PaymentDue[] = [];
  for (const [i, one] of due.entries()) {
    if (i % LOOKED_AT_A_TIME === 0) yield;
    const { account, amount } = one;
    const why = faultOf(round, account);
    if (why === undefined) payments.push({ ...one, id: account });
    else unpayable.push({ id: account, account, amount, why });
  }
  const { lines, waiting } = yield* planSteps({
    payments,
    chains: fundsOf(round, chains, live, bespoken),
    gas: BigInt(gasLimit) * gasPrice,
    split,
  });
  return { lines, waiting: [...waiting, ...unpayable] };
}

interface Outcome {
  /** Nothing is to be tried again before the next time. */
  readonly isFinal: boolean;
  /** Why there is no batch, or what is not in it; empty: nothing. */
  readonly says: string;
}

const LOOKING = 'a batch is made: nodes are asked first whether blocks that it pays for still stand';

async function makeBatch(round: Round, state: PayerState, { lines, waiting }: Plan): Promise<Outcome> {
  const { seat, terms, log } = round;
  const [first] = waiting;
  const many = waiting.length === 1 ? '1 account waits' : `${waiting.length} accounts wait`;
  const left = first ? `${many}; ${first.account}: ${first.why}` : '';
  if (lines.length === 0) return { isFinal: true, says: left || 'nothing is due' };
  if (await pausedByBooks(round)) return { isFinal: false, says: 'the books are wrong' };
  const approvalFor = await whyApproved(round, state, lines);
  const batch: NewBatch = {
    lines: lines.map(({ account, part, chainId, amount }) => ({ account, part, chainId, amount })),
    minimum: terms.minimum,
    contentHash: contentHash(lines),
    approvalFor,
    approvalsNeeded: approvalFor === undefined ? 0 : terms.approvals,
    by: terms.place,
  };
  // With many blocks that takes minutes, in which nothing else is done.
  await seat.ran({ isRun: false, nextAtMs: state.nextAtMs, whyNot: LOOKING });
  const name = await seat.prepare(batch).catch((error: Error & { code?: string }) => {
    // The books refuse while a block that balances come from is in doubt.
    if (error.code !== 'refused') throw error;
    return error;
  });
  if (name instanceof Error) return { isFinal: false, says: name.message };
  if (name === undefined)
    return { isFinal: false, says: 'a batch waits for its approval, or balances have changed' };
  const total = formatAmount(lines.reduce((sum, { amount }) => sum + amount, 0n));
  log.info(
    { payout: name, total, lines: lines.length, approvalFor },
    approvalFor === undefined ? 'a payout is prepared' : 'a payout is prepared, and waits for approval',
  );
  return { isFinal: true, says: left };
}

/** All that a person is to know before he says yes, also where he is asked anyway; `undefined`: nobody has to. */
async function whyApproved(
  { seat, terms }: Round,
  { batches }: PayerState,
  lines: readonly { readonly account: string; readonly amount: Amount }[],
): Promise<string | undefined> {
  const why = exceededBy(terms.limits, { lines, ...(await seat.spent()) }).map((one) => one.why);
  if (terms.mode === 'approve') why.unshift('payouts.mode is approve');
  else if (batches < terms.firstApprovals)
    why.unshift(`it is one of the first ${terms.firstApprovals} (payouts.firstApprovals)`);
  return why.length === 0 ? undefined : why.join('; ');
}
