import { existsSync, readFileSync } from 'node:fs';

/** The version in package.json, which stands above this file in the sources as well as in what is built. */
export function readVersion(): string {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  const { version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
    version: string;
  };
  return version;
}
