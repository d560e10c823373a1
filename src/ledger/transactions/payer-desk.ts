/** Payments on chain for who orders them of a bridge that runs. */

import type pg from 'pg';
import type { HoldOrder, PayerDesk } from '../../bridge/orders/payer-desk.js';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import type { Refused } from '../../operations/entry/operation.js';
import { askOf } from '../database/statements.js';
import { answered, shownPayout } from '../payments/payout-desk.js';
import { findPayout } from '../payments/payouts.js';
import { failedBeforeResume } from '../proof/verify.js';
import type { CheckCommand } from '../proof/verify-payments.js';
import {
  type AccountHold,
  allowByOrder,
  approveBatch,
  holdByOrder,
  isReconciled,
  listHolds,
  pauseByOrder,
  rejectBatch,
  resumePayer,
  takeWish,
} from './orders.js';
import { payerReport } from './view.js';

export interface PayerDeskOptions {
  readonly pool: pg.Pool;
  /** Compares texts that are signed with their lines. */
  readonly check: CheckCommand;
  /** Of everybody: no account wishes to be paid more often than by it, as gas is the operator's. */
  readonly minimum: Amount;
  /** Those of the network, as nodes say; none while no node can be asked. */
  readonly chains: () => readonly number[];
}

export function openPayerDesk({ pool, check, minimum, chains }: PayerDeskOptions): PayerDesk {
  const payer = async () => ({ payer: await payerReport(askOf(pool)) });
  return {
    approve: (id, contentHash, by) =>
      ofPayout(pool, id, async () => {
        const missing = await approveBatch(pool, id, contentHash, by);
        return { payout: await shownPayout(pool, id), missing };
      }),
    reject: (id, note, by) =>
      ofPayout(pool, id, async () => {
        await rejectBatch(pool, id, note, by);
        return { payout: await shownPayout(pool, id) };
      }),
    pause: (note, by) =>
      answered(async () => {
        await pauseByOrder(pool, note, by);
        return payer();
      }),
    resume: (note, isAnyway, by) =>
      answered(async () => {
        const { pause } = await payerReport(askOf(pool));
        const why = isAnyway || !pause ? undefined : await whyNotResumed(pool, pause.kind, check);
        if (why) return why;
        await resumePayer(pool, note, by, pause);
        return payer();
      }),
    wish: (wish) =>
      answered(async () => {
        if (wish.minimum !== undefined && wish.minimum < minimum)
          return { refused: 'unfit', why: `nobody is paid below ${formatAmount(minimum)}` };
        const unknown = whyNoChain(wish.chainId, chains());
        if (unknown) return unknown;
        if (await takeWish(pool, wish)) return {};
        const why = 'this wish is not later than the last one of the account, by a minute';
        return { refused: 'busy', why };
      }),
    hold: (order, untilMs) =>
      answered(async () => {
        await holdByOrder(pool, order, untilMs === undefined ? undefined : new Date(untilMs));
        return { holds: await holdsOf(pool, order) };
      }),
    allow: (order) =>
      answered(async () => {
        if (await allowByOrder(pool, order)) return { holds: await holdsOf(pool, order) };
        return { refused: 'busy', why: `account ${order.account} is not held` };
      }),
  };
}

function ofPayout<T>(pool: pg.Pool, id: string, act: () => Promise<T>): Promise<T | Refused> {
  return answered(async () => {
    if (await findPayout(pool, id)) return act();
    return { refused: 'unknown', why: `there is no payout ${id}` };
  });
}

const MOST_HOLDS = 1_000_000;

async function holdsOf(pool: pg.Pool, { account }: HoldOrder): Promise<readonly AccountHold[]> {
  return (await listHolds(pool, MOST_HOLDS)).filter((hold) => hold.account === account);
}

/** `undefined`: nothing stands against it. */
async function whyNotResumed(
  pool: pg.Pool,
  pauseKind: string,
  check: CheckCommand,
): Promise<Refused | undefined> {
  if (pauseKind === 'restored' && !(await isReconciled(pool))) {
    const why =
      'these books were restored, and may not know of payments that were made since: `stratum-bridge ledger payout reconcile` reads them from the chain';
    return { refused: 'busy', why };
  }
  const failed = await failedBeforeResume(pool, pauseKind, check);
  if (failed.length === 0) return undefined;
  const shown = failed.map(({ name, broken }) => `${name}: ${broken[0] ?? ''}`).join('; ');
  return {
    refused: 'busy',
    why: `checks of the books fail (${shown}): \`stratum-bridge ledger verify\` shows all`,
  };
}

/** Nobody can be paid on a chain that is none. */
function whyNoChain(chainId: number | undefined, chains: readonly number[]): Refused | undefined {
  if (chainId === undefined || chains.includes(chainId)) return undefined;
  if (chains.length === 0)
    return { refused: 'busy', why: 'no node says now which chains there are: ask again later' };
  return {
    refused: 'unfit',
    why: `the network has no chain ${chainId}: its chains are ${Math.min(...chains)} to ${Math.max(...chains)}`,
  };
}
