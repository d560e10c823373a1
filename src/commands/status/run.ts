import { type Asked, CommandError, OK } from '../../cli/line/command.js';
import { row, summaryLines, wrapped } from '../../cli/screen/summary.js';
import { formatDuration, formatHashRate } from '../../cli/screen/units.js';
import { printable } from '../../core/names/names.js';
import { type Money, money } from '../../operations/books/accounts.js';
import { type Block, blocks } from '../../operations/books/blocks.js';
import { ALL_CHAINS, chains, type Following, followingOf } from '../../operations/books/chains.js';
import { payer } from '../../operations/payer/payer.js';
import type { PayerView } from '../../operations/payer/payer-view.js';
import { SUMMARY, type Summary, summary } from '../../operations/state.js';
import type { AskedBridge } from '../ctl/bridge.js';
import { onLedger } from '../ledger/asking.js';
import type { LedgerSettings } from '../ledger/settings.js';

interface Seen {
  /** Null where none runs. */
  readonly bridge: Summary | null;
  /** Null while it does not answer the bridge. */
  readonly ledger: {
    readonly lastBlock: Block | null;
    readonly following: Following;
    readonly money: Money;
    readonly payer: PayerView | null;
  } | null;
}

export async function run(asked: Asked<LedgerSettings>): Promise<number> {
  return onLedger(asked, async ({ ask, isOfBridge, config, io: { stdout } }) => {
    const seen: Seen = {
      bridge: isOfBridge ? (await ask(SUMMARY, 'GET', summary.path)).read : null,
      ledger: await ledgerBy(ask, isOfBridge),
    };
    const isForPrograms = config.json || !stdout.isTTY;
    const lines = isForPrograms ? [JSON.stringify(seen, null, 2)] : linesOf(seen, config.dataDir);
    const room = stdout.columns || 80;
    for (const line of lines) stdout.write(`${isForPrograms ? line : wrapped(printable(line), room)}\n`);
    return OK;
  });
}

async function ledgerBy(ask: AskedBridge['ask'], isOfBridge: boolean): Promise<Seen['ledger']> {
  try {
    const [found, followed, all, paying] = await Promise.all([
      ask(blocks.output, 'GET', `${blocks.path}?limit=1`),
      ask(chains.output, 'GET', `${chains.path}?limit=${ALL_CHAINS.limit}`),
      ask(money.output, 'GET', money.path),
      ask(payer.output, 'GET', payer.path),
    ]);
    return {
      ...{ lastBlock: found.read.blocks[0] ?? null, following: followingOf(followed.read.chains) },
      money: all.read,
      payer: paying.read.payer[0] ?? null,
    };
  } catch (error) {
    // A bridge is shown all the same.
    if (isOfBridge && error instanceof CommandError) return null;
    throw error;
  }
}

function linesOf({ bridge, ledger }: Seen, dataDir: string): string[] {
  const head = bridge
    ? summaryLines(bridge, { rate: `${formatHashRate(bridge.hashesPerSecond)} by shares` })
    : [`  no bridge runs with the data directory ${dataDir}: start one with \`stratum-bridge serve\``];
  if (!ledger) return [...head, row('money', 'not known while the ledger is away')];
  return [
    ...head,
    ...(bridge?.web ? [row('web', bridge.web)] : []),
    ...followingWords(ledger.following).map((words, i) => row(i === 0 ? 'following' : '', words)),
    row('block', blockWords(ledger.lastBlock)),
    row('money', moneyWords(ledger.money)),
    ...(ledger.payer?.words ?? []).map((words, i) => row(i === 0 ? 'payer' : '', words)),
  ];
}

function followingWords({ chains: all, behind, still, standing }: Following): string[] {
  const more = still - standing.length;
  const words = standing.map(({ chainId, trouble }) => `chain ${chainId} stands still: ${trouble}`);
  if (more > 0) words.push(`and ${more} more: \`ledger follow status\` lists them`);
  if (behind > 0) words.push(`${behind} blocks are still to be read`);
  if (words.length > 0) return words;
  return [all === 0 ? 'no chain is known yet' : 'all chains are followed to their heads'];
}

function blockWords(block: Block | null): string {
  if (!block) return 'none was found yet';
  const { chainId, height, state, foundAt, detail } = block;
  const age = formatDuration(Math.max(0, Date.now() - Date.parse(foundAt)));
  return `chain ${chainId}, height ${height}, found ${age} ago, ${state}${detail ? `: ${detail}` : ''}`;
}

function moneyWords({ due, expected, paying, paid }: Money): string {
  const parts = { 'can be paid': due, expected, 'being paid': paying, paid };
  return Object.entries(parts)
    .map(([what, amount]) => `${coins(amount)} ${what}`)
    .join(', ');
}

/** Grouped digits, and at most four decimals; what is more stands in JSON. */
function coins(amount: string): string {
  return Number(amount).toLocaleString('en-US', { maximumFractionDigits: 4, useGrouping: true });
}
