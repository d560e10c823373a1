/** Settings as a file has them. */
import type { Setting } from '../reading/answers.js';

/** What YAML takes for the same text without quotation marks, also within a list or a map. */
const PLAIN = /^(?=[a-z0-9/])[\w./%+@-]+(:[\w./%+@-]+)*( [\w./%+@-]+(:[\w./%+@-]+)*)*$/i;
const OTHERWISE = /^(true|false|null|yes|no|on|off)$/i;

/** In one line. */
function yamlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yamlOf).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, each]) => `${yamlOf(key)}: ${yamlOf(each)}`)
      .join(', ')}}`;
  if (typeof value === 'number') return numberOf(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  const isPlain = PLAIN.test(value) && !OTHERWISE.test(value) && Number.isNaN(Number(value));
  return isPlain ? value : JSON.stringify(value);
}

/** `1e18`: its zeros are not to be counted. */
function numberOf(value: number): string {
  const short = value.toExponential().replace('e+', 'e');
  return value >= 1e9 && short.length < 6 ? short : String(value);
}

/** `stratum.limits.ban: 10m`: so it stands in a file, too. */
export function yamlLine({ key, value }: Pick<Setting, 'key' | 'value'>): string {
  return `${key}: ${yamlOf(value)}`;
}

export function valueWords(value: unknown): string {
  if (isNothing(value)) return 'none';
  if (Array.isArray(value)) return value.map(valueWords).join(', ');
  return typeof value === 'string' ? value : yamlOf(value);
}

function isNothing(value: unknown): boolean {
  if (value === '' || value === null || value === undefined) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Whoever runs the bridge has set it, or the rules of the ledger say otherwise. */
export function isChanged({ source }: Pick<Setting, 'source'>): boolean {
  return source !== 'default';
}

export interface Group {
  /** The first part of their keys. */
  readonly name: string;
  readonly settings: readonly Setting[];
  /** How many of them have changed. */
  readonly changed: number;
}

/** Of each what has changed comes first. */
export function groupsOf(settings: readonly Setting[]): Group[] {
  const names = [...new Set(settings.map(groupNameOf))];
  return names.map((name): Group => {
    const all = settings.filter((each) => groupNameOf(each) === name);
    const changed = all.filter(isChanged);
    return {
      name,
      settings: [...changed, ...all.filter((each) => !isChanged(each))],
      changed: changed.length,
    };
  });
}

function groupNameOf({ key }: Pick<Setting, 'key'>): string {
  const dot = key.indexOf('.');
  return dot === -1 ? 'process' : key.slice(0, dot);
}
