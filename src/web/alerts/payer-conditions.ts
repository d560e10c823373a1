/** Conditions of payouts on chain. All bridges see the same of them, from the books. */
import type { PayerReport } from '../../bridge/watch/payer-watch.js';
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { adviceFor } from '../../core/names/pause-advice.js';
import type { OnChainRules } from './rules.js';
import type { Judge, Sight } from './sight.js';

const HOUR_MS = 3_600_000;
/** A bridge that is started again has the seat within a minute. */
const SEAT_HOLD_MS = 10 * 60_000;

export const onChain: Judge = ({ figures }, { onChain: rules }) => {
  if (!rules || !figures?.onChain) return [];
  const { payer, held } = figures.onChain;
  const heldWords =
    held === 0 ? 'no account is held' : `${held} accounts are held since a payment to them failed`;
  return [
    paused(payer),
    overdue(payer),
    sight('paymentsHeld', held > 0, `${heldWords}: \`stratum-bridge ledger payout status\` lists them`),
    ...hot(payer, rules),
    ...payer.chains.flatMap((chain) => reserve(chain, rules)),
  ];
};

function sight(
  condition: Sight['condition'],
  isBad: boolean,
  says: string,
  more: Partial<Sight> = {},
): Sight {
  return { condition, about: 'pool', isBad, says, holdMs: 0, isShared: true, ...more };
}

function paused({ pause }: PayerReport): Sight {
  const says = pause
    ? `payouts are paused: ${pause.says}. What to do: ${adviceFor(pause.kind)}; then \`stratum-bridge ledger payout resume\``
    : 'payouts are not paused';
  return sight('payoutsPaused', pause !== undefined, says);
}

/** What is paused is told as that. */
function overdue({ pause, nextAtMs, nowMs, isSeated, whyNot }: PayerReport): Sight {
  const isLate = nextAtMs !== undefined && nowMs - nextAtMs > HOUR_MS;
  const isBad = pause === undefined && (isLate || !isSeated);
  const late = isLate
    ? `payouts should have run at ${new Date(nextAtMs).toISOString()}`
    : 'payouts are on time';
  const why = isSeated ? whyNot : 'no bridge pays now';
  return sight('payoutsOverdue', isBad, why === '' ? late : `${late}: ${why}`, { holdMs: SEAT_HOLD_MS });
}

const coinsOf = (text: string | undefined): bigint => parseAmount(text ?? '') ?? 0n;

function hot({ chains }: PayerReport, { maxHot }: OnChainRules): Sight[] {
  if (maxHot === undefined) return [];
  const coins = chains.reduce((sum, { balance }) => sum + coinsOf(balance), 0n);
  const says = `the paying account has ${formatAmount(coins)} over all chains, and payouts.maxHot is ${formatAmount(maxHot)}`;
  return [sight('hotBalanceHigh', coins > maxHot, `${says}: bring some away`)];
}

/** Of a chain that was read. */
function reserve({ chainId, balance, waiting }: PayerReport['chains'][number], rules: OnChainRules): Sight[] {
  if (balance === undefined) return [];
  const missing = coinsOf(waiting) + rules.reserve - coinsOf(balance);
  const isBad = coinsOf(waiting) > 0n && missing > 0n;
  const says = isBad
    ? `chain ${chainId} has ${balance}, and ${waiting} wait there beside the reserve: ${formatAmount(missing)} are missing`
    : `chain ${chainId} has coins for what waits there`;
  return [sight('reserveLow', isBad, says, { about: `chain ${chainId}`, holdMs: SEAT_HOLD_MS })];
}
