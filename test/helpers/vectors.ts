/** Data of real chains and pools. It stays where it is; a test that needs it says aloud when it is absent. */
import { existsSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../shared/vectors/', import.meta.url);

export const vectorsArePresent = existsSync(FOLDER);
if (!vectorsArePresent)
  process.stderr.write(`LEFT OUT: tests on real data, because ${FOLDER.pathname} is absent\n`);

/** The parsed content of `shared/vectors/<name>.json`. */
export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as T;
}
