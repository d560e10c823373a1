/** What a value that was read is written as. */
import { formatAmount } from '../core/money/amount.js';
import type { Setting } from './setting.js';
import { formatQuantity } from './units.js';

/** As a file would have it: `2m` of 120000, `0.5` of an amount. */
export function asInFile({ unit, write }: Pick<Setting, 'unit' | 'write'>, value: unknown): unknown {
  if (write) return write(value);
  if (typeof value === 'bigint') return formatAmount(value).replace(/\.?0+$/, '');
  return typeof value === 'number' && unit ? formatQuantity(value, unit) : value;
}
