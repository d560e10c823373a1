/** `ledger payout status` and `evidence`. */
import { type Asked, type CommandIo, OK } from '../../../cli/line/command.js';
import { type Form, refuseTwoForms } from '../../../cli/screen/form.js';
import { print } from '../../../cli/screen/print.js';
import type { Columns } from '../../../operations/entry/columns.js';
import {
  CHAIN_COLUMNS,
  type Evidence,
  HOLD_COLUMNS,
  type PaidLine,
  type Payer,
  type Payout,
  paidLines,
  payer,
  payment,
  payout,
  payouts,
  STEP_COLUMNS,
} from '../../../operations/payouts.js';
import type { AskedBridge } from '../../ctl/bridge.js';
import { itemsOf } from '../../ctl/list-command.js';
import { onLedger } from '../asking.js';
import type { LedgerSettings } from '../settings.js';
import type { StatusSettings } from './settings.js';
import { PAUSED, payoutNamed, UNDER_WAY } from './words.js';

interface Printing {
  readonly config: Form;
  readonly io: CommandIo;
}

interface Seen {
  readonly payer: Payer;
  readonly payouts: readonly Payout[];
  readonly payments: readonly PaidLine[] | undefined;
}

type Ask = AskedBridge['ask'];

export async function status(asked: Asked<StatusSettings>): Promise<number> {
  const [word] = asked.words;
  const which = word === undefined ? undefined : payoutNamed(word);
  return onLedger(asked, async ({ ask, config, io }) => {
    const { lines, limit } = config;
    const { read } = await ask(payer.output, 'GET', payer.path);
    const shown = which === undefined ? await openPayouts(ask, limit) : [await payoutOf(ask, which)];
    const payments = lines ? await paymentsOf(ask, shown, limit) : undefined;
    const seen: Seen = { payer: read, payouts: shown, payments };
    show(seen, { config, io });
    return exitCodeOf(seen);
  });
}

/** Those that a bridge pays. */
async function openPayouts(ask: Ask, limit: number): Promise<Payout[]> {
  const { items } = await itemsOf({ ask, config: { limit, only: 'open' } }, payouts);
  return (items as Payout[]).filter(({ paidBy }) => paidBy === 'chain');
}

async function payoutOf(ask: Ask, which: string): Promise<Payout> {
  const {
    lines: _,
    offset: __,
    limit: ___,
    ...found
  } = (await ask(payout.output, 'GET', `${payout.path.replace(':id', which)}?limit=1`)).read;
  return found;
}

async function paymentsOf(ask: Ask, of: readonly Payout[], limit: number): Promise<PaidLine[]> {
  const all: PaidLine[] = [];
  for (const { id } of of) {
    const path = paidLines.path.replace(':id', id);
    const { items } = await itemsOf({ ask, config: { limit } }, { ...paidLines, path });
    all.push(...(items as PaidLine[]));
  }
  return all;
}

function exitCodeOf({ payer, payouts }: Seen): number {
  if (payer.paused) return PAUSED;
  return payouts.some(({ isSettled }) => !isSettled) ? UNDER_WAY : OK;
}

function show(seen: Seen, to: Printing): void {
  const { stdout } = to.io;
  if (to.config.csv || to.config.wide) {
    if (seen.payments) print(seen.payments, paidLines.columns, to);
    else print(seen.payouts, payouts.columns, to);
  } else if (to.config.json || !stdout.isTTY) {
    const { payer, ...rest } = seen;
    const state = ['settled', '', '', 'under way', 'paused'][exitCodeOf(seen)];
    stdout.write(`${JSON.stringify({ state, ...payer, ...rest }, null, 2)}\n`);
  } else showToPeople(seen, to);
}

function showToPeople({ payer, payouts: shown, payments }: Seen, to: Printing): void {
  const { stdout } = to.io;
  for (const sentence of [...sentencesOf(payer), ...payer.next]) stdout.write(`${sentence}\n`);
  const tables = [
    [payer.chains, CHAIN_COLUMNS],
    [shown, payouts.columns],
    [payments ?? [], paidLines.columns],
    [payer.holds, HOLD_COLUMNS],
  ] as const;
  for (const [rows, columns] of tables) {
    if (rows.length === 0) continue;
    stdout.write(rows === payer.holds ? '\nheld:\n' : '\n');
    print<object>(rows, columns as Columns<object>, to);
  }
}

/** What somebody who looks wants to know first. */
export function sentencesOf({ paused, isPaying, place, account, network, ...runs }: Payer): string[] {
  const { lastRun, nextRun, whyNot } = runs;
  return [
    ...(paused
      ? [
          `paused since ${paused.since} by ${paused.by} (${paused.kind}): ${paused.says}`,
          `what to do: ${paused.advice}; then \`ledger payout resume\``,
        ]
      : []),
    ...(account === null && !isPaying
      ? ['payouts are by hand: `ledger payout prepare` makes one of what is due']
      : [
          isPaying
            ? `${place} pays${account === null ? '' : ` from ${account} on ${network ?? ''}`}`
            : 'no bridge pays now',
          `last run ${lastRun ?? 'never'}, next run ${nextRun ?? 'not planned'}${whyNot === '' ? '' : `: ${whyNot}`}`,
        ]),
  ];
}

export async function evidence(asked: Asked<LedgerSettings>): Promise<number> {
  const [which = ''] = asked.words;
  return onLedger(asked, async ({ ask, config, io }) => {
    refuseTwoForms(config);
    const path = payment.path.replace(':id', encodeURIComponent(which));
    const { read } = await ask(payment.output, 'GET', path);
    showProof(read, { config, io });
    return OK;
  });
}

function showProof(proof: Evidence, to: Printing): void {
  const { stdout } = to.io;
  const { line, attempts, events } = proof;
  if (to.config.csv || to.config.wide) return void print(events, STEP_COLUMNS, to);
  if (to.config.json || !stdout.isTTY) return void stdout.write(`${JSON.stringify(proof, null, 2)}\n`);
  const where = line.chainId === null ? '' : ` on chain ${line.chainId}`;
  stdout.write(
    `payment ${line.id} of payout ${line.payout}: ${line.amount} to ${line.account}${where}, ${line.state}\n`,
  );
  for (const { attempt, state, requestKey, blockHeight, blockHash, why } of attempts) {
    const block = blockHeight === null ? '' : `, block ${blockHeight} ${blockHash ?? ''}`;
    stdout.write(
      `attempt ${attempt}: ${state}${block}${why === '' ? '' : `: ${why}`}\n  request key ${requestKey}\n`,
    );
  }
  stdout.write('\n');
  print(events, STEP_COLUMNS, to);
}
