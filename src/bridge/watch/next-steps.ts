/** What each batch waits for, and what a person does about it: the same words on the command line, in the API and on the page. */
import type { PayerChainReport, PayerReport, WaitingLines } from './payer-watch.js';

type Seen = Pick<PayerReport, 'waits' | 'chains' | 'account' | 'nowMs'>;

/** A sentence for each thing that a batch waits for; none where no batch is under way. @param only a batch by its name. */
export function nextSteps(report: Seen, only?: string): string[] {
  const names = new Set(report.waits.map(({ payout }) => payout));
  return [...names]
    .filter((name) => only === undefined || name === only)
    .flatMap((name) =>
      ofBatch(
        name,
        report.waits.filter(({ payout }) => payout === name),
        report,
      ),
    );
}

function ofBatch(name: string, lines: readonly WaitingLines[], seen: Seen): string[] {
  const [{ approvals, approvalFor, contentHash, isRejected } = NONE] = lines;
  if (isRejected)
    return [
      `payout ${name} is rejected: ${counted(sum(lines), 'payment')} that somebody was asked to sign come back with proof that they never will be paid, or are paid; nothing is to be done`,
    ];
  if (approvals > 0)
    return [
      `payout ${name} waits for approval (${approvalFor}; ${approvals} more): look at it with \`ledger payout status ${name} --lines\`, then \`ledger payout approve ${name} --hash ${contentHash}\``,
    ];
  const chains = new Map(seen.chains.map((chain) => [chain.chainId, chain]));
  const stuck = lines.filter((line) => obstacle(line, chains.get(line.chainId ?? -1)) !== undefined);
  const late = lines.filter((line) => !stuck.includes(line) && isLate(line, seen));
  const free = lines.filter((line) => !stuck.includes(line) && !late.includes(line));
  return [
    ...stuck.map((line) => withChain(line, chains.get(line.chainId ?? -1), seen)),
    ...(late.length === 0 ? [] : [`${counted(sum(late), 'payment')} ${TOO_LATE}`]),
    ...STEPS.flatMap(({ states, says }) => {
      const here = free.filter(({ transaction }) => states.includes(transaction));
      const until = Math.min(...here.map(({ untilMs }) => untilMs ?? Number.POSITIVE_INFINITY));
      return here.length === 0 ? [] : [says(sum(here), until)];
    }),
  ].map((says) => `payout ${name}: ${says}`);
}

/** What is so near its end is not signed any more: a block is still to come. The payer goes by the time of the chain, which is not known here. */
function isLate({ transaction, untilMs }: WaitingLines, { nowMs }: Seen): boolean {
  return transaction === 'built' && untilMs !== null && nowMs > untilMs - NO_MORE_MS;
}

const NO_MORE_MS = 60_000;
const TOO_LATE =
  'to be built anew once no block can have what was not signed in time (payouts.ttl); nothing is to be done';

const NONE = { approvals: 0, approvalFor: '', contentHash: '', isRejected: false };

/** Only what is to be sent for the first time waits for its chain; all else is followed. */
function obstacle({ transaction }: WaitingLines, chain: PayerChainReport | undefined): string | undefined {
  if (transaction !== null && transaction !== 'built' && transaction !== 'signed') return undefined;
  if (chain && chain.trouble !== '') return chain.trouble;
  return transaction === null && Number(chain?.missing) > 0 ? 'coins' : undefined;
}

function withChain(
  { lines, chainId }: WaitingLines,
  chain: PayerChainReport | undefined,
  seen: Seen,
): string {
  const what = counted(lines, 'payment');
  if (chain?.trouble !== '') return `${what} on chain ${chainId}: ${chain?.trouble}`;
  return `${what} on chain ${chainId} wait for coins: send ${chain.missing} to ${seen.account} there; other chains go on`;
}

interface Step {
  readonly states: readonly WaitingLines['transaction'][];
  says(lines: number, untilMs: number): string;
}

const STEPS: readonly Step[] = [
  { states: [null], says: (lines) => `${counted(lines, 'payment')} to be built next` },
  {
    states: ['built'],
    says: (lines, untilMs) =>
      `${counted(lines, 'payment')} to be signed until ${new Date(untilMs).toISOString()}: the bridge asks its signer; without one, \`ledger payout export FILE\`, sign, \`ledger payout import FILE\``,
  },
  {
    states: ['signed', 'sent'],
    says: (lines) => `${counted(lines, 'payment')} on the way into a block; nothing is to be done`,
  },
  {
    states: ['included'],
    says: (lines) =>
      `${counted(lines, 'payment')} in a block, paid with chain.depth blocks on top; nothing is to be done`,
  },
  {
    states: ['unknown'],
    says: (lines) =>
      `${counted(lines, 'payment')} unknown: \`ledger payout evidence PAYMENT\` says what was seen`,
  },
];

function sum(lines: readonly WaitingLines[]): number {
  return lines.reduce((all, line) => all + line.lines, 0);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
