/** `ledger payout plan`: what the next batch would pay, where, and who waits or is held. Writes nothing. */

import { payerTerms } from '../../../assembly/payouts/payer-terms.js';
import { type Asked, CommandError, OK } from '../../../cli/line/command.js';
import { print } from '../../../cli/screen/print.js';
import { formatDuration } from '../../../cli/screen/units.js';
import { type Amount, formatAmount } from '../../../core/money/amount.js';
import { type Outlook, payoutOutlook } from '../../../ledger/transactions/batches.js';
import type { Columns } from '../../../operations/entry/columns.js';
import { MOST_ACCOUNTS, planDue } from '../../../payouts/payer/batches.js';
import type { ConfigOf } from '../../../values/setting.js';
import { onBooks } from '../access.js';
import type { PlanSettings } from './key-settings.js';

interface PlanRow {
  readonly account: string;
  readonly is: 'paid' | 'waits' | 'held';
  readonly chain: number | null;
  readonly amount: string;
  /** At most. */
  readonly gas: string;
  readonly why: string;
}

const PLAN: Columns<PlanRow> = {
  account: { kind: 'name', importance: 1 },
  is: { kind: 'text', importance: 1, heading: 'would be' },
  chain: { kind: 'count', importance: 1 },
  amount: { kind: 'amount', importance: 1 },
  gas: { kind: 'amount', importance: 3, heading: 'gas at most' },
  why: { kind: 'text', importance: 2 },
};

export async function plan(asked: Asked<PlanSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger: { pool }, config, io }) => {
    const outlook = await payoutOutlook(pool, config['payouts.minimum'], MOST_ACCOUNTS);
    const rows = rowsOf(outlook, config).filter(
      ({ account, chain }) =>
        (config.only === '' || account === config.only) && (config.chain === 'all' || chain === config.chain),
    );
    const said = sentencesOf(outlook, rows);
    if (config.csv || config.wide || (io.stdout.isTTY && !config.json)) {
      for (const sentence of said) io.stderr.write(`stratum-bridge: ${sentence}\n`);
      return print(rows, PLAN, { config, io });
    }
    io.stdout.write(`${JSON.stringify(asJson(outlook, rows, said), null, 2)}\n`);
    return OK;
  });
}

function rowsOf(
  { state, chains, due, held, live, bespoken }: Outlook,
  config: ConfigOf<PlanSettings>,
): PlanRow[] {
  const { account, network } = state;
  if (account === undefined || network === undefined || chains.length === 0)
    throw new CommandError(
      'no bridge has looked at the chains for these books yet, so nobody knows what they have to pay with: start one with payouts.mode approve or auto. `ledger accounts` shows what is owed',
    );
  // Whose keys sign, and what is believed of the chain, have no part in a plan.
  const payer = { account, publicKeys: [], predicate: 'keys-all' } as const;
  const terms = payerTerms(config, { depth: 1, nodes: 1 }, network, payer);
  const gas = formatAmount(BigInt(terms.gasLimit) * terms.gasPrice);
  const seen = new Map(chains.map((chain) => [chain.chainId, chain]));
  const planned = planDue({ terms }, { due, chains: seen, live, bespoken });
  return [
    ...planned.lines.map(
      ({ account: to, chainId, amount, part, parts }): PlanRow => ({
        ...{ account: to, is: 'paid', chain: chainId, amount: formatAmount(amount), gas },
        why: parts > 1 ? `part ${part} of ${parts}` : '',
      }),
    ),
    ...planned.waiting.map(({ account: to, amount, why }): PlanRow => unpaid(to, 'waits', null, amount, why)),
    ...held.map(({ account: to, amount, chainId, note, untilMs }): PlanRow => {
      const until = untilMs === null ? '' : ` (until ${new Date(untilMs).toISOString()})`;
      return unpaid(to, 'held', chainId, amount, `${note}${until}`);
    }),
  ];
}

function unpaid(
  account: string,
  is: 'waits' | 'held',
  chain: number | null,
  amount: Amount,
  why: string,
): PlanRow {
  return { account, is, chain, amount: formatAmount(amount), gas: '', why };
}

const oldest = ({ chains }: Outlook): number => Math.min(...chains.map(({ lookedAtMs }) => lookedAtMs));

function sentencesOf(outlook: Outlook, rows: readonly PlanRow[]): string[] {
  const { state, chains } = outlook;
  const ageMs = Math.max(0, state.nowMs - oldest(outlook));
  const troubled = chains.filter(({ trouble }) => trouble !== '');
  const paid = rows.filter(({ is }) => is === 'paid').length;
  return [
    `${paid} payments would be made; nothing was written. Chains are as the bridge that pays saw them ${formatDuration(ageMs)} ago`,
    ...(state.pause
      ? [`payouts are paused, and nothing is planned before that ends: ${state.pause.says}`]
      : []),
    ...(outlook.unapproved === undefined
      ? []
      : [
          `payout ${outlook.unapproved} waits for approval, and no other one is made before: this is what comes after it`,
        ]),
    ...troubled.map(({ chainId, trouble }) => `nothing is paid on chain ${chainId} now: ${trouble}`),
  ];
}

function asJson(outlook: Outlook, rows: readonly PlanRow[], said: readonly string[]): object {
  const { state, chains } = outlook;
  return {
    ...{ account: state.account, network: state.network, isPaused: state.pause !== undefined },
    ...{ chainsReadAt: new Date(oldest(outlook)).toISOString(), says: said },
    chains: chains.map(({ chainId, account, trouble, lookedAtMs }) => ({
      ...{ chain: chainId, coins: formatAmount(account.balance), height: account.read.height, trouble },
      readAt: new Date(lookedAtMs).toISOString(),
    })),
    lines: rows,
  };
}
