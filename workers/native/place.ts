/** Where the parts of the native kernel lie, seen from the sources as well as from what is compiled of them. */
import { existsSync, readFileSync, statSync } from 'node:fs';

export interface NativePlace {
  /** C, part of the package. */
  readonly source: URL;
  /** What the source includes. */
  readonly included: URL;
  /** Made on each machine for itself, and in no folder that is packed. */
  readonly addon: URL;
  /** How many bytes the addon has: one that was cut off kills whoever loads it. */
  readonly length: URL;
  /** A text that says why there is no addon; made when it could not be compiled. */
  readonly fault: URL;
}

export function nativePlace(root: URL = packageRoot()): NativePlace {
  return {
    source: new URL('workers/native/kernel.c', root),
    included: new URL('workers/native/search.h', root),
    addon: new URL('dist/native/kernel.node', root),
    length: new URL('dist/native/kernel.length', root),
    fault: new URL('dist/native/not-built.txt', root),
  };
}

/** Whether the addon is there as it was built. */
export function isWhole({ addon, length }: NativePlace): boolean {
  const bytes = statSync(addon, { throwIfNoEntry: false })?.size;
  return bytes !== undefined && existsSync(length) && readFileSync(length, 'utf8') === `${bytes}\n`;
}

/** The folder of our package.json, with a slash at its end. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return folder;
}

/** Why a machine can have no native kernel at all; `undefined` when it can. */
export function unfitReason(platform: NodeJS.Platform, arch: string): string | undefined {
  if (arch !== 'x64') return `it is for x86-64, this is ${arch}`;
  return platform === 'win32' ? 'it is not made for Windows' : undefined;
}
