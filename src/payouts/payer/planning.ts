/** What is due becomes a payout: on which chains, and who has to approve it. */
import type { DueAccount, PayerRules, PayerState } from '../../bridge/payouts/payer-books.js';
import type { Amount } from '../../core/money/amount.js';
import { payableFault } from '../../core/names/payable.js';
import { exceededBy } from '../plan/limits.js';
import { type ChainFunds, type Plan, planSteps } from '../plan/planner.js';
import { inTurns, mapInTurns } from '../turns.js';
import { roomsOf } from './rooms.js';
import { gasOn, type Turn } from './turn.js';

/** A thousand take some milliseconds. */
const AT_A_TIME = 500;

/** `planned`: there is a payout more; `putOff`: it is to be tried again soon. */
export async function planPayout(turn: Turn, state: PayerState): Promise<'planned' | 'nothing' | 'putOff'> {
  const { role, terms, rules } = turn;
  const due = await role.due(rules.minimum);
  const isPayable = ({ account }: DueAccount): boolean =>
    account !== terms.from.account && payableFault(account) === undefined;
  const found = await mapInTurns(due, AT_A_TIME, (one) => (isPayable(one) ? [paymentOf(one)] : []));
  const payments = found.flat();
  if (payments.length === 0) {
    await role.plan({ waitingWhy: '', isPutOff: false });
    return 'nothing';
  }
  const { chains, trouble } = await fundsOf(turn, state);
  const gas = highest(state.chains.map((chainId) => gasOn(turn, chainId)));
  const { split, minimum } = rules;
  const { lines, waiting } = await inTurns(planSteps({ payments, chains, gas, split }));
  const waits = waiting[0] ? [`${waiting.length} accounts wait: ${waiting[0].why}`] : [];
  const waitingWhy = [...waits, ...(trouble === '' ? [] : [trouble])].join('; ');
  if (lines.length === 0) {
    const isPutOff = trouble !== '';
    await role.plan({ waitingWhy, isPutOff });
    return isPutOff ? 'putOff' : 'nothing';
  }
  // What is too large for one account waits by itself, and holds up nobody else.
  for (const part of await apart(rules, lines)) {
    const { approvals, why: approvalWhy } = await approvalsOf(turn, part);
    await role.plan({
      lines: await mapInTurns(part, AT_A_TIME, ({ id, account, chainId, amount }) => ({
        ...{ accountId: Number(id), account, chainId, amount },
      })),
      ...{ minimum, approvals, approvalWhy, waitingWhy },
    });
  }
  return 'planned';
}

function highest(amounts: readonly Amount[]): Amount {
  return amounts.reduce((most, each) => (each > most ? each : most), 0n);
}

async function apart({ payoutMode, lineLimit }: PayerRules, lines: Plan['lines']): Promise<Plan['lines'][]> {
  if (payoutMode === 'approve' || lineLimit === 'none') return [lines];
  const sums = new Map<string, Amount>();
  await mapInTurns(lines, AT_A_TIME, ({ account, amount }) => {
    sums.set(account, (sums.get(account) ?? 0n) + amount);
  });
  const isLarge = ({ account }: Plan['lines'][number]): boolean => (sums.get(account) ?? 0n) > lineLimit;
  return [lines.filter((one) => !isLarge(one)), lines.filter(isLarge)].filter(({ length }) => length > 0);
}

function paymentOf({ id, account, due: amount, wishedChain, minimum }: DueAccount) {
  return { id: String(id), account, amount, wishedChain, minimum };
}

/** Without what lines that have no transaction yet will take. */
async function fundsOf(
  turn: Turn,
  state: PayerState,
): Promise<{ readonly chains: ChainFunds[]; readonly trouble: string }> {
  const { rooms, trouble } = await roomsOf(turn, state.chains, state);
  const planned = new Map<number, Amount>();
  for (const { chainId, amount, count } of await turn.role.promised())
    planned.set(chainId, amount + BigInt(count) * gasOn(turn, chainId));
  const funds = Array.from(rooms, ([chainId, { coins }]) => {
    const left = coins - (planned.get(chainId) ?? 0n);
    return { chainId, available: left > 0n ? left : 0n };
  });
  return { chains: funds, trouble };
}

async function approvalsOf(
  { role, rules }: Turn,
  lines: readonly { readonly account: string; readonly amount: Amount }[],
): Promise<{ readonly approvals: number; readonly why: string }> {
  const { payoutMode, approvals, firstApprovals } = rules;
  if (payoutMode === 'approve') return { approvals, why: 'payouts.mode is approve' };
  const { lastDay, formerPayouts, payouts } = await role.toBound();
  if (payouts < firstApprovals)
    return { approvals, why: `the first ${firstApprovals} payouts wait for approval` };
  const [exceeded] = exceededBy(rules, { lines, lastDay, formerBatches: formerPayouts });
  return exceeded ? { approvals, why: exceeded.why } : { approvals: 0, why: '' };
}
