import type { z } from 'zod';

/** One setting, written once: flag, type, default, help. Its key is its name in a table of settings. */
export interface Setting<T extends z.ZodType = z.ZodType> {
  /** Without the leading dashes. */
  readonly flag: string;
  readonly type: T;
  /** As it would be written in a file. */
  readonly default: unknown;
  /** What the value is, for `--help`: `HOST:PORT`. */
  readonly shape: string;
  /** A sentence or two. */
  readonly help: string;
  /** The flag may be given several times. */
  readonly repeatable?: boolean;
  /** The flag stands for true by itself. */
  readonly isSwitch?: boolean;
  /** Of one run of a command: no variable and no file sets it. */
  readonly flagOnly?: boolean;
  /** `url`: passwords in URLs are never shown; `whole`: the value is never shown. */
  readonly secret?: 'url' | 'whole';
}

export type Settings = Readonly<Record<string, Setting>>;

export function setting<T extends z.ZodType>(
  flag: string,
  type: T,
  rest: Omit<Setting, 'flag' | 'type'>,
): Setting<T> {
  return { flag, type, ...rest };
}
