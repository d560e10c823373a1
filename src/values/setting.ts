/** What a setting is. Each room has a table of its own, which loads nothing heavy: help and errors of use are made from it. */
import type { z } from 'zod';
import { numberOf } from './numbers.js';
import type { Bound, Unit } from './units.js';
import { oneOf, switchedOn } from './words.js';

/** One setting, written once: type, default, help. Flag and variable follow from its key, its name in a table of settings. */
export interface Setting<T extends z.ZodType = z.ZodType> {
  /** What reads its values. A port alone listens where the default does, which may differ for a command. */
  readonly type: (byDefault: unknown) => T;
  /** As it would be written in a file. */
  readonly default: unknown;
  /** A value as a file would have it, where that is not plain. */
  readonly write?: (value: unknown) => unknown;
  /** What the value is, for `--help`: `HOST:PORT`. Empty for those that are on or off. */
  readonly shape: string;
  /** A sentence or two. */
  readonly help: string;
  /** Of a number, the kind of its units. */
  readonly unit?: Unit;
  /** The only values that it takes, where they are few. */
  readonly choices?: readonly string[];
  /** true or false: as flags `--flag` and `--no-flag`. */
  readonly isBoolean?: boolean;
  /** One of the few that most people need: a short help shows it, as it does flags of one run. */
  readonly basic?: boolean;
  /** The flag may be given several times. */
  readonly repeatable?: boolean;
  /** Of one run of a command: no variable and no file sets it. */
  readonly flagOnly?: boolean;
  /** File and variables alone set it: in a process list everybody of the machine could read it. */
  readonly noFlag?: boolean;
  /** A file's value is meant for another command that shares the file. */
  readonly notFromFile?: boolean;
  /** It may change while a command runs; all others want a restart. */
  readonly live?: boolean;
  /**
   * Never shown: passwords in a URL (`url`) or in several (`urls`), what stands under the key `passwords` (`passwords`), or `secret` in maps by name (`tokens`), what a command is given
   * besides its program (`arguments`), or all (`whole`).
   */
  readonly secret?: 'url' | 'urls' | 'passwords' | 'tokens' | 'arguments' | 'whole';
}

export type Settings = Readonly<Record<string, Setting>>;

/** The merged, checked values by key. */
export type ConfigOf<S extends Settings> = { readonly [K in keyof S]: z.output<ReturnType<S[K]['type']>> };

type Rest = Omit<Setting, 'type' | 'unit' | 'choices' | 'isBoolean'>;

export function setting<T extends z.ZodType>(
  type: T | Setting<T>['type'],
  rest: Rest & Pick<Setting, 'choices'>,
): Setting<T> {
  return { type: typeof type === 'function' ? type : () => type, ...rest };
}

const SHAPES: Readonly<Record<Unit, string>> = {
  time: 'TIME',
  size: 'SIZE',
  part: 'PART',
  count: 'N',
  hashes: 'HASHES',
};

/** A number from `min` to `max`. */
export function quantity(
  unit: Unit,
  [min, max]: readonly [Bound, Bound],
  { shape = SHAPES[unit], ...rest }: Omit<Rest, 'shape'> & { readonly shape?: string },
): Setting<ReturnType<typeof numberOf>> {
  const type = numberOf(unit, min, max);
  return { unit, shape, type: () => type, ...rest };
}

/** One of a few words. */
export function choice<const T extends string>(
  choices: readonly T[],
  rest: Rest,
): Setting<ReturnType<typeof oneOf<T>>> {
  const type = oneOf(...choices);
  return { choices, type: () => type, ...rest };
}

/** true or false. */
export function onOff(rest: Omit<Rest, 'shape'>): Setting<typeof switchedOn> {
  return { isBoolean: true, shape: '', type: () => switchedOn, ...rest };
}

/** Of one run of a command. */
export function flagsOnly<const S extends Settings>(settings: S): S {
  return Object.fromEntries(
    Object.entries(settings).map(([key, each]) => [key, { ...each, flagOnly: true }]),
  ) as unknown as S;
}

/** With other defaults for some of them. */
export function withDefaults<S extends Settings>(
  settings: S,
  defaults: { readonly [K in keyof S]?: unknown },
): S {
  const changed = Object.entries(defaults).map(([key, value]) => [key, { ...settings[key], default: value }]);
  return { ...settings, ...Object.fromEntries(changed) };
}
