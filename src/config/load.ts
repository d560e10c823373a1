/** Flags over environment over file over defaults, each value checked, each fault told with key, value and source. */
import { parseArgs } from 'node:util';
import { readSettingsFile } from './file.js';
import { withoutSecrets } from './secrets.js';
import type { Setting, Settings } from './setting.js';
import { type ConfigOf, ENVIRONMENT_PREFIX, environmentName } from './settings.js';
import { nearest } from './suggest.js';

/** Something an operator wrote is wrong; each problem names key, value and source. Exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'config';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Where a value comes from: `default`, `file x.yaml`, `variable STRATUM_BRIDGE_…`, `flag --…`. */
export type Source = string;

export interface Loaded<S extends Settings> {
  readonly config: ConfigOf<S>;
  readonly sources: Readonly<Record<keyof S, Source>>;
  /** As written, before it was read: what to show. */
  readonly written: Readonly<Record<keyof S, unknown>>;
  /** What an operator should know although it stops nothing. */
  readonly warnings: readonly string[];
}

export interface LoadInput {
  readonly argv: readonly string[];
  /** Variables; none are read when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Defaults that differ for this command, by key. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

export interface Given {
  /** As written. */
  readonly value: unknown;
  readonly source: Source;
}

/** Flags that are not settings. */
const CONFIG_FLAG = 'config';

/** Merges and checks. Throws {@link ConfigError} with every problem there is. */
export function loadConfig<S extends Settings>(settings: S, input: LoadInput): Loaded<S> {
  const problems: string[] = [];
  const flags = readFlags(settings, input.argv);
  const env = input.env ?? {};
  const path = flags.get(CONFIG_FLAG)?.value ?? env[environmentName(CONFIG_FLAG)];
  const lasting = Object.fromEntries(Object.entries(settings).filter(([, setting]) => !setting.flagOnly));
  const variables = readEnvironment(lasting, env);
  const layers = [
    typeof path === 'string' ? readFile(lasting, path, problems) : new Map<string, Given>(),
    variables.given,
    flags,
  ];
  const config: Record<string, unknown> = {};
  const sources: Record<string, Source> = {};
  const written: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(settings)) {
    const fallback: Given = { value: input.defaults?.[key] ?? setting.default, source: 'default' };
    const given = layers.reduce((best, layer) => layer.get(key) ?? best, fallback);
    const result = setting.type.safeParse(given.value);
    if (result.success) config[key] = result.data;
    else {
      const [issue] = result.error.issues;
      const faulty = partOf(given.value, issue?.path ?? []);
      problems.push(told(key, setting, { ...given, value: faulty }, issue?.message ?? 'is not valid'));
    }
    sources[key] = given.source;
    written[key] = given.value;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const { warnings } = variables;
  return { config: Object.freeze(config), sources, written, warnings } as unknown as Loaded<S>;
}

/** A sentence about a value as it was given: key, value unless it is secret, source, and what is to be said. */
export function told(key: string, setting: Pick<Setting, 'secret'>, given: Given, says: string): string {
  const shown = withoutSecrets(setting, given.value);
  return `${key}: ${shown === '***' ? 'the value' : JSON.stringify(shown)} (${given.source}) ${says}`;
}

/** Of a list only the faulty entry. */
function partOf(value: unknown, [index]: readonly PropertyKey[]): unknown {
  return Array.isArray(value) && typeof index === 'number' && index in value ? value[index] : value;
}

function readFlags(settings: Settings, argv: readonly string[]): Map<string, Given> {
  const byFlag = new Map(Object.entries(settings).map(([key, setting]) => [setting.flag, { key, setting }]));
  const options = Object.fromEntries(
    [...byFlag].map(([flag, { setting }]) => {
      const type: 'boolean' | 'string' = setting.isSwitch ? 'boolean' : 'string';
      return [flag, { type, multiple: setting.repeatable ?? false }] as const;
    }),
  );
  let values: Record<string, unknown>;
  try {
    ({ values } = parseArgs({ args: [...argv], options: { ...options, [CONFIG_FLAG]: { type: 'string' } } }));
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
  const given = new Map<string, Given>();
  for (const [flag, value] of Object.entries(values)) {
    given.set(byFlag.get(flag)?.key ?? flag, { value, source: `flag --${flag}` });
  }
  return given;
}

/**
 * What Kubernetes (and links of Docker) set for every service: one that is called stratum-bridge makes variables that
 * begin like ours.
 */
const OF_A_SERVICE = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;

function readEnvironment(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): { given: Map<string, Given>; warnings: readonly string[] } {
  const keys = Object.keys(settings);
  const byName = new Map(keys.map((key) => [environmentName(key), key]));
  const bare = (name: string): string => name.slice(ENVIRONMENT_PREFIX.length);
  const known = [...byName.keys()].map(bare);
  const byFlag = new Map(keys.map((key) => [settings[key]?.flag ?? '', bare(environmentName(key))]));
  const given = new Map<string, Given>();
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(ENVIRONMENT_PREFIX) || name === environmentName(CONFIG_FLAG)) continue;
    const key = byName.get(name);
    if (key) given.set(key, { value, source: `variable ${name}` });
    else if (!OF_A_SERVICE.test(name)) {
      const meant = nearest(bare(name), known, byFlag);
      const advice = suggestion(meant && ENVIRONMENT_PREFIX + meant);
      warnings.push(`variable ${name} is no setting, so it is not read${advice}`);
    }
  }
  return { given, warnings };
}

/** The value of an unknown key is never told: it may be a password under a misspelt name. */
function readFile(settings: Settings, path: string, problems: string[]): Map<string, Given> {
  const given = new Map<string, Given>();
  const file = readSettingsFile(settings, path);
  const byFlag = new Map(Object.entries(settings).map(([key, { flag }]) => [flag, key]));
  problems.push(...file.problems);
  for (const [key, value] of file.values) {
    if (Object.hasOwn(settings, key)) given.set(key, { value, source: `file ${path}` });
    else
      problems.push(
        `${key} (file ${path}) is no setting${suggestion(nearest(key, Object.keys(settings), byFlag))}`,
      );
  }
  return given;
}

function suggestion(meant: string | undefined): string {
  return meant ? `; did you mean ${meant}?` : '; `stratum-bridge config` lists all';
}
