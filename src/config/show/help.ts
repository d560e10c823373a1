/** Settings on a help page. Loads neither zod nor YAML. */
import type { Setting } from '../../values/setting.js';
import { formatQuantity } from '../../values/units.js';
import { isEmpty } from '../layers/secrets.js';

/** `--stratum-tcp <HOST:PORT>`, `--node-urls <URL...>`; `--mining`; `--queue-recorder, --no-queue-recorder` of what is on by itself. */
export function flagOf(
  flag: string,
  { shape, isBoolean, repeatable, default: byDefault }: Omit<Setting, 'type' | 'help'>,
): string {
  if (isBoolean) return byDefault ? `--${flag}, --no-${flag}` : `--${flag}`;
  return `--${flag} <${shape}${repeatable ? '...' : ''}>`;
}

/** The default as a person writes it. */
export function showDefault(setting: Setting): string {
  const { default: value, unit } = setting;
  if (unit && typeof value === 'number') return formatQuantity(value, unit);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(nameOf).join(', ');
  return isEmpty(value) ? 'none' : String(value);
}

/** Of a map in a list, what stands first in it. */
function nameOf(item: unknown): string {
  return String(typeof item === 'object' && item !== null ? Object.values(item)[0] : item);
}
