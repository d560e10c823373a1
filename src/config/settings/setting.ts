/** What a setting is. Tables of them load neither zod nor anything else, so that help and errors of use come at once. */
import type { z } from 'zod';
import type { quantity as quantityOf } from '../values/numbers.js';
import type { Unit } from '../values/units.js';
import type { VALUES } from '../values/values.js';
import type { oneOf, switchedOn } from '../values/words.js';

/** All types of values: tables take them as a parameter, so that only who reads values loads them. */
export type Values = typeof VALUES;

/** One setting, written once: flag, type, default, help. Its key is its name in a table of settings. */
export interface Setting<T extends z.ZodType = z.ZodType> {
  /** Without the leading dashes; empty where a command takes it from file and variables alone. */
  readonly flag: string;
  /** What reads its values. A port alone listens where the default does, which may differ for a command. */
  readonly type: (values: Values, byDefault: unknown) => T;
  /** As it would be written in a file. */
  readonly default: unknown;
  /** What the value is, for `--help`: `HOST:PORT`. Empty for those that are on or off. */
  readonly shape: string;
  /** A sentence or two. */
  readonly help: string;
  /** What a plain number means; others name their unit. */
  readonly unit?: Unit;
  /** The only values that it takes, where they are few. */
  readonly choices?: readonly string[];
  /** true or false: as flags `--flag` and `--no-flag`. */
  readonly isBoolean?: boolean;
  /** One of the few that most people need: a short help shows it. */
  readonly basic?: boolean;
  /** Its heading in a help, where its key does not tell. */
  readonly group?: string;
  /** The flag may be given several times. */
  readonly repeatable?: boolean;
  /** Of one run of a command: no variable and no file sets it. */
  readonly flagOnly?: boolean;
  /** A file's value is meant for another command that shares the file. */
  readonly notFromFile?: boolean;
  /** It may change while a command runs; all others want a restart. */
  readonly live?: boolean;
  /**
   * Never shown: passwords in URLs (`url`), what stands under the key `passwords` (`passwords`), or `secret` in maps by name (`tokens`), what a command is given
   * besides its program (`arguments`), or all (`whole`).
   */
  readonly secret?: 'url' | 'passwords' | 'tokens' | 'arguments' | 'whole';
}

export type Settings = Readonly<Record<string, Setting>>;

/** The merged, checked values by key. */
export type ConfigOf<S extends Settings> = { readonly [K in keyof S]: z.output<ReturnType<S[K]['type']>> };

type Rest = Omit<Setting, 'flag' | 'type' | 'unit' | 'choices' | 'isBoolean'>;

export function setting<T extends z.ZodType>(
  flag: string,
  type: Setting<T>['type'],
  rest: Rest & Pick<Setting, 'choices'>,
): Setting<T> {
  return { flag, type, ...rest };
}

const SHAPES: Readonly<Record<Unit, string>> = {
  ms: 'TIME',
  s: 'TIME',
  bytes: 'SIZE',
  MB: 'SIZE',
  'basis points': 'PART',
  count: 'N',
  hashes: 'HASHES',
};

/** A number from `min` to `max`, which stand in the unit of its key as its default does. */
export function quantity(
  flag: string,
  unit: Unit,
  [min, max]: readonly [number, number],
  { shape = SHAPES[unit], ...rest }: Omit<Rest, 'shape'> & { readonly shape?: string },
): Setting<ReturnType<typeof quantityOf>> {
  return { flag, unit, shape, type: (values) => values.quantity(unit, min, max), ...rest };
}

/** One of a few words. */
export function choice<const T extends string>(
  flag: string,
  choices: readonly T[],
  rest: Rest,
): Setting<ReturnType<typeof oneOf<T>>> {
  return { flag, choices, type: (values) => values.oneOf(...choices), ...rest };
}

/** true or false. */
export function onOff(flag: string, rest: Omit<Rest, 'shape'>): Setting<typeof switchedOn> {
  return { flag, isBoolean: true, shape: '', type: (values) => values.switchedOn, ...rest };
}

/** Without those of one run. */
export function onlyLasting(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, { flagOnly }]) => !flagOnly));
}
