/** Flags over environment over file over defaults, each value checked, each fault told with key, value and source. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse as parseYaml } from 'yaml';
import type { Settings } from './setting.js';
import { type ConfigOf, ENVIRONMENT_PREFIX, environmentName } from './settings.js';

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
}

export interface LoadInput {
  readonly argv: readonly string[];
  /** Variables; none are read when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Defaults that differ for this command, by key. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

interface Given {
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
  const layers = [
    typeof path === 'string' ? readFile(settings, path, problems) : new Map<string, Given>(),
    readEnvironment(settings, env, problems),
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
    else
      problems.push(describe(key, given, result.error.issues[0]?.message ?? 'is not valid', setting.secret));
    sources[key] = given.source;
    written[key] = given.value;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { config: Object.freeze(config), sources, written } as unknown as Loaded<S>;
}

function describe(key: string, given: Given, fault: string, secret: string | undefined): string {
  const shown = secret ? 'the value' : JSON.stringify(given.value);
  return `${key}: ${shown} (${given.source}) ${fault}`;
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

function readEnvironment(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Map<string, Given> {
  const byName = new Map(Object.keys(settings).map((key) => [environmentName(key), key]));
  const given = new Map<string, Given>();
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(ENVIRONMENT_PREFIX) || name === environmentName(CONFIG_FLAG)) continue;
    const key = byName.get(name);
    if (key) given.set(key, { value, source: `variable ${name}` });
    else problems.push(`variable ${name} is no setting${suggestion(name, [...byName.keys()])}`);
  }
  return given;
}

function readFile(settings: Settings, path: string, problems: string[]): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const [key, value] of flatten(settings, parseFile(path))) {
    if (key in settings) given.set(key, { value, source: `file ${path}` });
    else
      problems.push(
        `${key}: ${JSON.stringify(value)} (file ${path}) is no setting${suggestion(key, Object.keys(settings))}`,
      );
  }
  return given;
}

/** YAML, of which JSON is a part. */
function parseFile(path: string): unknown {
  try {
    return parseYaml(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError([`file ${path} cannot be read: ${(error as Error).message.split('\n', 1)[0]}`]);
  }
}

/** `{stratum: {tcp: x}}` and `{'stratum.tcp': x}` say the same; a setting may itself be a map. */
function flatten(settings: Settings, tree: unknown, prefix = ''): [string, unknown][] {
  if (tree === null || tree === undefined) return [];
  if (prefix in settings || typeof tree !== 'object' || Array.isArray(tree)) return [[prefix, tree]];
  return Object.entries(tree).flatMap(([key, value]) =>
    flatten(settings, value, prefix ? `${prefix}.${key}` : key),
  );
}

/** Names the setting that ends as the unknown one does: most often only its section was left out or mistaken. */
function suggestion(given: string, known: readonly string[]): string {
  const lastWord = (name: string): string => name.toLowerCase().split(/[._]/).at(-1) ?? '';
  const near = known.find((name) => lastWord(name) === lastWord(given));
  return near ? `; did you mean ${near}?` : '; `stratum-bridge config` lists all';
}
