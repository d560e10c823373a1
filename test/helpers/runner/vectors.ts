/**
 * Data of real chains and pools. It stays where it is: tests that need it bear the tag `vectors` (vitest.config.ts), and
 * are left out where it is absent; the last lines of a run say so.
 */
import { existsSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../../shared/vectors/', import.meta.url);

/** For what is read while tests are only collected. */
export const vectorsArePresent = existsSync(FOLDER);

/** The parsed content of `shared/vectors/<name>.json`. */
export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as T;
}

/** As the configurations of vitest have them. */
export const TAGS = [
  {
    name: 'vectors',
    description: 'Needs ../shared/vectors, data of real chains',
    skip: !vectorsArePresent,
  },
];
