/**
 * What paying takes, and for how long a piece of it keeps rigs of the same process waiting: many accounts are due on twenty chains, some lines are
 * paid to their end, and then as many transactions are open as two blocks of each chain have places for.
 */
import type { PayerState } from '../../../src/bridge/payouts/payer-books.js';
import { buildNext } from '../../../src/payouts/payer/building.js';
import { planPayout } from '../../../src/payouts/payer/planning.js';
import { sendFirst } from '../../../src/payouts/payer/sending.js';
import { signNext } from '../../../src/payouts/payer/signing.js';
import type { Turn } from '../../../src/payouts/payer/turn.js';
import { DEPTH } from '../../helpers/payouts/payer-terms.js';
import { type Hold, holdOf } from './holds.js';
import { BELIEF, inPayerWorld, owe, type PayerWorld } from './payer-world.js';

const MOST_HELD_MS = 10;

interface Sizes {
  readonly accounts: number;
  /** That are paid to their end. */
  readonly lines: number;
}

type Row = Hold & { readonly what: string };

export interface PayoutsBench extends Sizes {
  readonly rows: readonly Row[];
}

const numberIn = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

export async function benchPayouts({
  accounts = numberIn('BENCH_ACCOUNTS', 10_000),
  lines = numberIn('BENCH_LINES', 1_500),
} = {}): Promise<PayoutsBench> {
  const sizes = { accounts, lines };
  const bench = { ...sizes, rows: await inPayerWorld((world) => measure(world, sizes)) };
  report(bench);
  return bench;
}

async function measure(world: PayerWorld, { accounts, lines }: Sizes): Promise<Row[]> {
  const { pool, turn } = world;
  const rows: Row[] = [];
  const row = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    rows.push({ what, ...(await holdOf(act)) });
  };
  await owe(pool, accounts);
  const first = await world.state();
  await row(`${accounts} accounts due are planned`, () => planPayout(turn, first));
  await row('state: nothing open, lines to pay', () => world.state());
  await row(`${lines} lines are built`, () => build(world, turn, lines));
  await row('they are signed', async () => signAll(world, turn));
  await row('they are sent', () => sendAll(world, turn));
  await world.mine(DEPTH + 1);
  await row('they are found in blocks, and settled', () =>
    world.follow('all are paid', async () => (await openNow(world)) === 0),
  );
  const open = await fill(world);
  await row(`state: ${open} transactions open`, () => world.state());
  const [taking, next] = await world.turns(2);
  if (taking && next)
    rows.push(
      { what: `the first turn of another bridge with ${open} open: some are sent again`, ...taking },
      { what: 'the next turn', ...next },
    );
  return rows;
}

/** So many more. */
async function build(world: PayerWorld, turn: Turn, count: number): Promise<void> {
  let state = await world.state();
  const wanted = state.open.length + count;
  while (state.open.length < wanted) {
    turn.nodes.beginTurn(BELIEF);
    const some = state.lines.slice(0, wanted - state.open.length);
    if (!(await buildNext(turn, { ...state, lines: some })))
      throw new Error(`${state.open.length} of ${wanted} are built, and no more`);
    state = await world.state();
  }
}

/** As many as chains have places for, as if all were tried and sent. Resolves with how many are open. */
async function fill(world: PayerWorld): Promise<number> {
  const { pretended } = world;
  while (await buildNext(pretended, await world.state()));
  await signAll(world, pretended);
  await sendAll(world, pretended);
  return (await world.state()).open.length;
}

async function signAll(world: PayerWorld, turn: Turn): Promise<void> {
  while (await signNext(turn, await world.state()));
}

async function sendAll(world: PayerWorld, turn: Turn): Promise<void> {
  const isUnsent = ({ open }: PayerState): boolean => open.some(({ isSent }) => !isSent);
  for (let state = await world.state(); isUnsent(state); state = await world.state()) {
    turn.nodes.beginTurn(BELIEF);
    await sendFirst(turn, state);
  }
}

async function openNow({ pool }: PayerWorld): Promise<number> {
  const { rows } = await pool.query<{ open: number }>(
    "SELECT count(*)::int AS open FROM chain_transaction WHERE state <> 'paid'",
  );
  return rows[0]?.open ?? 0;
}

function report({ rows, ...sizes }: PayoutsBench): void {
  const { stdout } = process;
  stdout.write('| what | s | held, ms of the processor | with collections | bar |\n');
  stdout.write('| --- | --- | --- | --- | --- |\n');
  for (const { what, seconds, heldMs, withCollectionsMs } of rows) {
    const bar = heldMs > MOST_HELD_MS ? `**missed** (bar ${MOST_HELD_MS} ms)` : `${MOST_HELD_MS} ms`;
    const figures = [seconds.toFixed(2), heldMs.toFixed(1), withCollectionsMs.toFixed(1)];
    stdout.write(`| ${[what, ...figures, bar].join(' | ')} |\n`);
  }
  stdout.write(`${JSON.stringify({ bench: 'payouts', ...sizes, rows })}\n`);
}
