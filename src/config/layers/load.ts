/** Flags over environment over file over defaults, each value checked, each fault told with key, value and source. */

import type { ConfigOf, Setting, Settings } from '../../values/setting.js';
import { environmentName } from '../names.js';
import { EVERY_SETTING } from '../settings.js';
import { ConfigError } from './config-error.js';
import { type Environment, readEnvironment } from './environment.js';
import { readFileLayer } from './file.js';
import { CONFIG_FLAG, type FlagValues, layerOfFlags } from './flags.js';
import { type Given, type Source, told } from './given.js';

export interface Loaded<S extends Settings> {
  readonly config: ConfigOf<S>;
  readonly sources: Readonly<Record<keyof S, Source>>;
  /** As written, before it was read: what to show. */
  readonly written: Readonly<Record<keyof S, unknown>>;
  /** Keys whose values could not be read, and stand at their defaults: none but of {@link examineConfig}. */
  readonly faulty: ReadonlySet<string>;
}

export interface LoadInput {
  readonly flags?: FlagValues;
  /** Variables; none are read when absent. */
  readonly env?: Environment;
}

/** Merges and checks. Throws {@link ConfigError} with every problem there is. */
export function loadConfig<S extends Settings>(settings: S, input: LoadInput): Loaded<S> {
  const { loaded, problems } = examineConfig(settings, input);
  if (problems.length > 0) throw new ConfigError(problems);
  return loaded;
}

interface Examined<S extends Settings> {
  readonly loaded: Loaded<S>;
  readonly problems: readonly string[];
}

/** The same for who looks on where something is wrong. */
export function examineConfig<S extends Settings>(settings: S, input: LoadInput): Examined<S> {
  const { layers, problems } = readLayers(settings, input);
  const readings = Object.entries(settings).map(([key, setting]) => ({
    key,
    ...readValue(key, setting, layers),
  }));
  const byKey = <T>(pick: (reading: Reading) => T): Record<string, T> =>
    Object.fromEntries(readings.map((reading) => [reading.key, pick(reading)]));
  const loaded = {
    config: Object.freeze(byKey(({ value }) => value)),
    sources: byKey(({ given }) => given.source),
    written: byKey(({ given }) => given.value),
    faulty: new Set(readings.flatMap(({ key, fault }) => (fault === undefined ? [] : key))),
  };
  const faults = readings.flatMap(({ fault }) => fault ?? []);
  return { loaded: loaded as unknown as Loaded<S>, problems: [...problems, ...faults] };
}

interface Reading {
  readonly given: Given;
  /** That of the default where the given one is faulty. */
  readonly value: unknown;
  readonly fault?: string;
}

type GivenByKey = ReadonlyMap<string, Given>;

function readValue(key: string, setting: Setting, layers: readonly GivenByKey[]): Reading {
  const byDefault: Given = { value: setting.default, source: 'default' };
  const given = layers.reduce((best, layer) => layer.get(key) ?? best, byDefault);
  const type = setting.type(setting.default);
  const result = type.safeParse(given.value);
  if (result.success) return { given, value: result.data };
  return {
    given,
    value: type.parse(setting.default),
    fault: faultOf(key, setting, given, result.error.issues),
  };
}

interface Layers {
  /** The last that has a key wins. */
  readonly layers: readonly GivenByKey[];
  readonly problems: readonly string[];
}

function readLayers(settings: Settings, { flags = {}, env = {} }: LoadInput): Layers {
  const lasting = Object.fromEntries(Object.entries(settings).filter(([, { flagOnly }]) => !flagOnly));
  const path = flags[CONFIG_FLAG] ?? env[environmentName(CONFIG_FLAG)];
  const file = typeof path === 'string' ? readFileLayer(lasting, EVERY_SETTING, path) : undefined;
  const variables = readEnvironment(lasting, EVERY_SETTING, env);
  return {
    layers: [file?.given ?? new Map(), variables.given, layerOfFlags(settings, flags)],
    problems: [...(file?.problems ?? []), ...variables.problems],
  };
}

function faultOf(
  key: string,
  setting: Setting,
  given: Given,
  [issue]: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  const faulty = partOf(given.value, issue?.path ?? []);
  return told(key, setting, { ...given, value: faulty }, issue?.message ?? 'is not valid');
}

/** Of a list only the faulty entry. */
function partOf(value: unknown, [index]: readonly PropertyKey[]): unknown {
  return Array.isArray(value) && typeof index === 'number' && index in value ? value[index] : value;
}
