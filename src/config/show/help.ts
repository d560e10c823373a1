/** Settings on a help page. Loads neither zod nor YAML. */
import type { Setting } from '../../values/setting.js';
import { formatQuantity } from '../../values/units.js';
import { isEmpty } from '../layers/secrets.js';

/** `--stratum-tcp HOST:PORT`; `--mining`; `--queue-recorder, --no-queue-recorder` of what is on by itself. */
export function flagOf(
  flag: string,
  { shape, isBoolean, default: byDefault }: Pick<Setting, 'shape' | 'isBoolean' | 'default'>,
): string {
  if (isBoolean) return byDefault ? `--${flag}, --no-${flag}` : `--${flag}`;
  return `--${flag} ${shape}`.trimEnd();
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

/** Lines of at most `width` characters where words allow it. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
