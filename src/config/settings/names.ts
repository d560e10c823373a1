/** The names of a setting follow from its key: `stratum.shareDifficulty` is STRATUM_BRIDGE_STRATUM_SHARE_DIFFICULTY. */
import type { Setting } from './setting.js';

export const ENVIRONMENT_PREFIX = 'STRATUM_BRIDGE_';

/** What a variable is called that names a file with the value, where that is a secret. */
const FILE_SUFFIX = '_FILE';

export function environmentName(key: string): string {
  const snake = key.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
  return ENVIRONMENT_PREFIX + snake.toUpperCase();
}

/** STRATUM_BRIDGE_LEDGER_DATABASE_URL_FILE; `undefined` for what is no secret. */
export function fileVariableName(key: string, { secret }: Pick<Setting, 'secret'>): string | undefined {
  return secret && environmentName(key) + FILE_SUFFIX;
}

/** The variable that `name` would be the file of. */
export function withoutFileSuffix(name: string): string | undefined {
  return name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : undefined;
}
