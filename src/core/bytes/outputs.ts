/**
 * What comes out of a transaction, as blocks hold it: JSON whose numbers are read as text, never as floating point. A double does not
 * hold every amount: 8192.000000000001 and 8192.000000000002 are one.
 *
 *     {"gas":227,"events":[{"params":["k:…","k:…",2.27e-6],"name":"TRANSFER",
 *       "module":{"namespace":null,"name":"coin"},"moduleHash":"klFk…"},…],…}
 */
import type { Amount } from '../money/amount.js';
import { parseDecimal, unitsOf } from '../money/decimal.js';

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

/** Numbers come as text; `undefined` for what is no JSON object. */
export function readExactly(json: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(withNumbersAsText(json)));
  } catch {
    return undefined;
  }
}

function withNumbersAsText(json: string): string {
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
}

/** As many digits as amounts have at most. */
const TOO_MUCH = 10n ** 38n;

/** `2.304523`, `2.27e-6`, `{"decimal":"2.304523"}`, `{"int":227}`; nothing below zero, nor finer than an amount. */
export function amountIn(value: unknown): Amount | undefined {
  const fields = fieldsOf(value);
  const text = fields ? (fields['decimal'] ?? fields['int']) : value;
  const decimal = typeof text === 'string' ? parseDecimal(text) : undefined;
  const units = decimal && unitsOf(decimal);
  return units !== undefined && units >= 0n && units < TOO_MUCH ? units : undefined;
}

/** As an event says it; `undefined` where it says no such thing. */
interface TransferEvent {
  readonly from: unknown;
  readonly to: unknown;
  readonly amount: Amount | undefined;
  /** Whether the module that says so is `coin`, of no namespace. */
  readonly isCoin: boolean;
  readonly moduleHash: unknown;
}

/** The events `TRANSFER` of an output that was read exactly, in order. */
export function transferEvents(output: Fields | undefined): TransferEvent[] {
  const events = Array.isArray(output?.['events']) ? output['events'] : [];
  return events.flatMap((event: unknown) => {
    const { name, params, module, moduleHash } = fieldsOf(event) ?? {};
    if (name !== 'TRANSFER' || !Array.isArray(params)) return [];
    const [from, to, amount] = params as unknown[];
    const { namespace = null, name: of } = fieldsOf(module) ?? {};
    const isCoin = of === 'coin' && namespace === null;
    return { from, to, amount: amountIn(amount), isCoin, moduleHash };
  });
}
