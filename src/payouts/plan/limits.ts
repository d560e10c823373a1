/** Above which figures a person has to say yes. */
import type { PayerRules } from '../../bridge/payouts/payer-books.js';
import { type Amount, amountLiteral } from '../../core/money/amount.js';

type Limits = Pick<PayerRules, 'lineLimit' | 'batchLimit' | 'dayLimit' | 'usualFactor'>;

interface ToLimit {
  readonly lines: readonly { readonly account: string; readonly amount: Amount }[];
  /** Sent, unknown, confirmed or on its way in the 24 hours before, without these lines. What is unknown counts. */
  readonly lastDay: Amount;
  /** Sums of the batches before that were closed, in any order. */
  readonly formerBatches: readonly Amount[];
}

interface Exceeded {
  readonly limit: keyof Limits;
  readonly figure: Amount;
  readonly most: Amount;
  /** A sentence. */
  readonly why: string;
}

/** Fewer batches than these are no use to say what is usual. */
const FEWEST_FORMER = 3;

/** What these lines are above; nothing where nobody needs to be asked. */
export function exceededBy(limits: Limits, { lines, lastDay, formerBatches }: ToLimit): readonly Exceeded[] {
  const sum = lines.reduce((all, { amount }) => all + amount, 0n);
  const largest = largestOf(lines);
  const usual = usualOf(formerBatches);
  const { lineLimit, batchLimit, dayLimit, usualFactor } = limits;
  const mostUsual = usual === undefined || usualFactor === 0 ? 'none' : usual * BigInt(usualFactor);
  const found: readonly [limit: keyof Limits, figure: Amount, most: Amount | 'none', what: string][] = [
    ['lineLimit', largest.amount, lineLimit, `what ${largest.account} gets`],
    ['batchLimit', sum, batchLimit, 'the batch'],
    ['dayLimit', sum + lastDay, dayLimit, 'with what was sent in the last 24 hours it'],
    ['usualFactor', sum, mostUsual, `the usual batch is ${amountLiteral(usual ?? 0n)}, and this one`],
  ];
  return found.flatMap(([limit, figure, most, what]) => {
    if (most === 'none' || figure <= most) return [];
    const why = `${what} is ${amountLiteral(figure)}, above ${amountLiteral(most)}`;
    return [{ limit, figure, most, why }];
  });
}

/** What one account gets, in however many parts. */
function largestOf(lines: ToLimit['lines']): { readonly account: string; readonly amount: Amount } {
  const sums = new Map<string, Amount>();
  let largest = { account: '', amount: 0n };
  for (const line of lines) {
    const amount = (sums.get(line.account) ?? 0n) + line.amount;
    sums.set(line.account, amount);
    if (amount > largest.amount) largest = { account: line.account, amount };
  }
  return largest;
}

/** Their median: one that was large does not make the next one usual. */
function usualOf(former: readonly Amount[]): Amount | undefined {
  if (former.length < FEWEST_FORMER) return undefined;
  const sorted = [...former].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[(sorted.length - 1) >> 1];
}
