/**
 * What a block pays its miner, as its outputs tell: the coinbase, and what transactions pay for their gas. Numbers are read as text, never
 * as floating point.
 *
 *     coinbase     {"events":[{"params":["","k:…",2.304523],"name":"TRANSFER","module":{"namespace":null,"name":"coin"}}],…}
 *     command      {"cmd":"{\"meta\":{\"sender\":\"k:…\",\"gasPrice\":1.0e-8,…},…}",…}
 *     its output   {"gas":227,"events":[{"params":["k:…","k:…",2.27e-6],"name":"TRANSFER",…},…],…}
 */
import type { PayloadOutputs } from '../../bridge/ports.js';
import { AMOUNT_DECIMALS, type Amount } from '../../core/amount.js';

export interface BlockIncome {
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
  return { reward: paid.amount, fees };
}

/** The amount of the coinbase's one transfer from nobody. */
function coinbasePaid(output: string): { miner: unknown; amount: Amount } | undefined {
  const [only, more] = transfersOf(parse(output)).filter(({ from }) => from === '');
  if (!only || more || only.amount === undefined) return undefined;
  return { miner: only.to, amount: only.amount };
}

/** Other transfers to the miner are nobody's work: only what is exactly the gas of the transaction counts, from who is to pay it. */
function feeOf(command: string, output: string, miner: unknown): Amount {
  const out = parse(output);
  const { sender, gasPrice } = metaOf(command);
  const gas = decimalOf(out?.['gas']);
  const price = decimalOf(gasPrice);
  if (gas === undefined || price === undefined) return 0n;
  const fee = (gas * price) / UNIT;
  const isPaid = transfersOf(out).some(
    ({ from, to, amount }) => from === sender && to === miner && amount === fee,
  );
  return isPaid && fee > 0n ? fee : 0n;
}

function metaOf(command: string): Fields {
  const cmd = parse(command)?.['cmd'];
  const meta = typeof cmd === 'string' ? parse(cmd)?.['meta'] : undefined;
  return fieldsOf(meta) ?? {};
}

interface Transfer {
  readonly from: unknown;
  readonly to: unknown;
  readonly amount: Amount | undefined;
}

function transfersOf(output: Fields | undefined): Transfer[] {
  const events = Array.isArray(output?.['events']) ? output['events'] : [];
  return events.flatMap((event: unknown) => {
    const { name, params } = fieldsOf(event) ?? {};
    if (name !== 'TRANSFER' || !Array.isArray(params)) return [];
    const [from, to, amount] = params as unknown[];
    return { from, to, amount: decimalOf(amount) };
  });
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

/** Numbers come as text; `undefined` for what is no JSON, which says nothing. */
function parse(json: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(withNumbersAsText(json)));
  } catch {
    return undefined;
  }
}

function withNumbersAsText(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
}

const UNIT = 10n ** BigInt(AMOUNT_DECIMALS);
/** Digits before and after the point, and places that an exponent moves it. */
const MOST_DIGITS = 40;
const DECIMAL = /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** `2.304523`, `2.27e-6`, `{"decimal":"2.304523"}`, `{"int":227}`; nothing below zero, nor finer than an amount. */
function decimalOf(value: unknown): Amount | undefined {
  const fields = fieldsOf(value);
  const text = fields ? (fields['decimal'] ?? fields['int']) : value;
  const match = typeof text === 'string' ? DECIMAL.exec(text) : null;
  if (!match) return undefined;
  const [, whole = '', decimals = '', exponent = '0'] = match;
  const places = decimals.length - Number(exponent);
  if (Math.abs(places) > MOST_DIGITS) return undefined;
  const digits = BigInt(whole + decimals) * 10n ** BigInt(Math.max(0, AMOUNT_DECIMALS - places));
  const tooFine = 10n ** BigInt(Math.max(0, places - AMOUNT_DECIMALS));
  return digits % tooFine === 0n ? digits / tooFine : undefined;
}
