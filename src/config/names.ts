/**
 * The names of a setting follow from its key: `stratum.shareDifficulty` is --stratum-share-difficulty and
 * STRATUM_BRIDGE_STRATUM_SHARE_DIFFICULTY.
 */
import type { Setting } from '../values/setting.js';

export const ENVIRONMENT_PREFIX = 'STRATUM_BRIDGE_';

/** What a variable is called that names a file with the value, where that is a secret. */
const FILE_SUFFIX = '_FILE';

/** The sections of `rig` and `node`, each of which takes no other: `devnode.listen` is `node --listen`. */
const OWN_SECTION = /^(rig|devnode)\./;

/** Without the leading dashes. */
export function flagName(key: string): string {
  return wordsOf(key.replace(OWN_SECTION, ''), '-').toLowerCase();
}

export function environmentName(key: string): string {
  return ENVIRONMENT_PREFIX + wordsOf(key, '_').toUpperCase();
}

function wordsOf(key: string, between: string): string {
  return key.replaceAll('.', between).replace(/[A-Z]/g, (letter) => between + letter);
}

/** STRATUM_BRIDGE_LEDGER_DATABASE_URL_FILE; `undefined` for what is no secret. */
export function fileVariableName(key: string, { secret }: Pick<Setting, 'secret'>): string | undefined {
  return secret && environmentName(key) + FILE_SUFFIX;
}

/** The variable that `name` would be the file of. */
export function withoutFileSuffix(name: string): string | undefined {
  return name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : undefined;
}
