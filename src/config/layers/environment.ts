/** Settings among the variables of the environment, and secrets in files that variables name. */

import { readFileSync } from 'node:fs';
import type { Settings } from '../../values/setting.js';
import { ENVIRONMENT_PREFIX, environmentName, fileVariableName, withoutFileSuffix } from '../names.js';
import { readableFile } from './file.js';
import { CONFIG_FLAG } from './flags.js';
import type { Given } from './given.js';
import { nearestSetting, suggestion } from './suggest.js';

export type Environment = Readonly<Record<string, string | undefined>>;

interface EnvironmentLayer {
  readonly given: ReadonlyMap<string, Given>;
  readonly problems: readonly string[];
}

/** Of `settings`; variables of `every` other setting are known and left alone. */
export function readEnvironment(settings: Settings, every: Settings, env: Environment): EnvironmentLayer {
  const given = new Map<string, Given>();
  const problems: string[] = [];
  for (const [key, setting] of Object.entries(settings)) {
    const name = environmentName(key);
    const value = env[name];
    if (value !== undefined) given.set(key, { value, source: `variable ${name}` });
    const fileName = fileVariableName(key, setting);
    const path = (fileName && env[fileName]) ?? '';
    if (path === '') continue;
    const source = `file ${path} (variable ${fileName})`;
    const read =
      value === undefined ? readSecret(path) : { fault: `is set by ${name}, too: keep one of them` };
    if (read.fault === undefined) given.set(key, { value: read.value, source });
    else problems.push(`${key}: variable ${fileName} ${read.fault}`);
  }
  return { given, problems: [...problems, ...unknownVariables(settings, every, env)] };
}

/** More than any password is long: what is longer is another file. */
const SECRET_CHARACTERS = 1_000_000;

function readSecret(path: string): { readonly value: string; fault?: never } | { readonly fault: string } {
  const fault = readableFile(path);
  if (fault !== undefined) return { fault: `cannot be used: ${fault}` };
  const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  if (value === '') return { fault: `cannot be used: ${path} is empty, and a secret is needed` };
  if (value.length > SECRET_CHARACTERS) return { fault: `cannot be used: ${path} is too long for a secret` };
  return { value };
}

/**
 * What Kubernetes (and links of Docker) set for every service: one that is called stratum-bridge makes variables that
 * begin like ours.
 */
const OF_A_SERVICE = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;

function unknownVariables(settings: Settings, every: Settings, env: Environment): string[] {
  const known = { ...every, ...settings };
  const keyOf = new Map(Object.keys(known).map((key) => [environmentName(key), key]));
  const files = new Set(Object.entries(known).map(([key, setting]) => fileVariableName(key, setting)));
  const isForeign = (name: string): boolean =>
    !name.startsWith(ENVIRONMENT_PREFIX) || name === environmentName(CONFIG_FLAG) || OF_A_SERVICE.test(name);
  return Object.keys(env)
    .filter((name) => !isForeign(name) && !keyOf.has(name) && !files.has(name))
    .map((name) => {
      const key = keyOf.get(withoutFileSuffix(name) ?? '');
      if (key !== undefined) return noSecret(name, key);
      const meant = bare(name).startsWith('CONFIG_')
        ? bare(environmentName(CONFIG_FLAG))
        : nearestSetting(bare(name), settings, every, (each) => bare(environmentName(each)));
      return `variable ${name} is no setting${suggestion(meant && ENVIRONMENT_PREFIX + meant)}`;
    });
}

function bare(variable: string): string {
  return variable.slice(ENVIRONMENT_PREFIX.length);
}

function noSecret(variable: string, key: string): string {
  const advice = `give the value itself in ${environmentName(key)}`;
  return `variable ${variable} is none: only secrets are read from files, and ${key} is not one; ${advice}`;
}
