/**
 * What a block pays its miner, as its outputs tell: the coinbase, and what transactions pay for their gas. Numbers are read as text, never
 * as floating point.
 *
 *     coinbase     {"events":[{"params":["","k:…",2.304523],"name":"TRANSFER","module":{"namespace":null,"name":"coin"}}],…}
 *     command      {"cmd":"{\"meta\":{\"sender\":\"k:…\",\"gasPrice\":1.0e-8,…},…}",…}
 *     its output   {"gas":227,"events":[{"params":["k:…","k:…",2.27e-6],"name":"TRANSFER",…},…],…}
 */
import type { PayloadOutputs } from '../../bridge/ports.js';
import { amountIn, type Fields, fieldsOf, readExactly, transferEvents } from '../../core/bytes/outputs.js';
import type { Amount } from '../../core/money/amount.js';
import { UNITS_A_COIN } from '../../core/money/decimal.js';

export interface BlockIncome {
  /** The account that the coinbase pays. */
  readonly receiver: string;
  readonly reward: Amount;
  readonly fees: Amount;
}

/** `undefined` when the coinbase says no such thing, as older blocks' do: who the miner is cannot be told then. */
export function incomeOf({ coinbase, transactions }: PayloadOutputs): BlockIncome | undefined {
  const paid = coinbasePaid(coinbase);
  if (!paid) return undefined;
  const fees = transactions.reduce(
    (sum, { command, output }) => sum + feeOf(command, output, paid.miner),
    0n,
  );
  return { receiver: paid.miner, reward: paid.amount, fees };
}

/** The account alone: to read what each of its transactions pays takes tens of milliseconds of a full block. */
export function receiverOf({ coinbase }: PayloadOutputs): string | undefined {
  return coinbasePaid(coinbase)?.miner;
}

/** The amount of the coinbase's one transfer from nobody. */
function coinbasePaid(output: string): { miner: string; amount: Amount } | undefined {
  const [only, more] = transferEvents(readExactly(output)).filter(({ from }) => from === '');
  if (!only || more || only.amount === undefined || typeof only.to !== 'string') return undefined;
  return { miner: only.to, amount: only.amount };
}

/** Other transfers to the miner are nobody's work: only what is exactly the gas of the transaction counts, from who is to pay it. */
function feeOf(command: string, output: string, miner: string): Amount {
  const out = readExactly(output);
  const { sender, gasPrice } = metaOf(command);
  const gas = amountIn(out?.['gas']);
  const price = amountIn(gasPrice);
  if (gas === undefined || price === undefined) return 0n;
  const fee = (gas * price) / UNITS_A_COIN;
  const isPaid = transferEvents(out).some(
    ({ from, to, amount }) => from === sender && to === miner && amount === fee,
  );
  return isPaid && fee > 0n ? fee : 0n;
}

function metaOf(command: string): Fields {
  const cmd = readExactly(command)?.['cmd'];
  const meta = typeof cmd === 'string' ? readExactly(cmd)?.['meta'] : undefined;
  return fieldsOf(meta) ?? {};
}
