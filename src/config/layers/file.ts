/** A file of settings: YAML, of which JSON is a part. */

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { parseDocument, type YAMLError } from 'yaml';
import type { Settings } from '../../values/setting.js';
import type { Given } from './given.js';
import { nearestSetting, suggestion } from './suggest.js';

interface FileLayer {
  readonly given: ReadonlyMap<string, Given>;
  /** What is wrong with the file, without any value: one under a misspelt name may be a password. */
  readonly problems: readonly string[];
}

/** Of `settings`; keys of `every` other setting are those of another command, and left alone. */
export function readFileLayer(settings: Settings, every: Settings, path: string): FileLayer {
  const given = new Map<string, Given>();
  const known = { ...every, ...settings };
  const { values, problems } = readSettingsFile(known, path);
  const isOwn = (key: string): boolean => Object.hasOwn(settings, key) && !settings[key]?.notFromFile;
  const unknown = [...values.keys()].filter((key) => !Object.hasOwn(known, key));
  for (const [key, value] of values) if (isOwn(key)) given.set(key, { value, source: `file ${path}` });
  const sentences = unknown.map(
    (key) => `${key} (file ${path}) is no setting${suggestion(nearestSetting(key, settings, every))}`,
  );
  return { given, problems: [...problems, ...sentences] };
}

interface FileContent {
  /** By key; also of keys that are no settings. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly string[];
}

/** `{stratum: {tcp: x}}` and `{'stratum.tcp': x}` say the same, and in one file only one of them may. */
function readSettingsFile(settings: Settings, path: string): FileContent {
  const values = new Map<string, unknown>();
  const problems: string[] = [];
  const { tree, fault } = parseFile(path);
  if (fault) return { values, problems: [`file ${path} ${fault}`] };
  for (const [key, value] of flatten(settings, tree)) {
    if (values.has(key)) problems.push(`${key} (file ${path}) is set twice: keep one of them`);
    values.set(key, value);
  }
  return { values, problems };
}

/** What keeps a file from being read, in a sentence that names it; `undefined` when nothing does. */
export function readableFile(path: string): string | undefined {
  try {
    const handle = openSync(path, 'r');
    const isFolder = fstatSync(handle).isDirectory();
    closeSync(handle);
    return isFolder ? `${path} is a folder, and a file is needed` : undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no file ${path}: is the path right?`;
    if (code === 'EACCES') return `${path} may not be read: give this user the right to`;
    return `${path} cannot be read: ${message}`;
  }
}

function parseFile(path: string): { tree?: object; fault?: string } {
  const unreadable = readableFile(path);
  if (unreadable !== undefined) return { fault: `cannot be read: ${unreadable}` };
  const text = readFileSync(path, 'utf8');
  try {
    const document = parseDocument(text, { logLevel: 'silent' });
    const [wrong] = [...document.errors, ...document.warnings];
    if (wrong) return { fault: `cannot be read: ${placeOf(wrong)}` };
    const tree = (document.toJS() ?? {}) as unknown;
    const isMap = typeof tree === 'object' && tree !== null && !Array.isArray(tree);
    return isMap ? { tree } : { fault: NO_MAP };
  } catch {
    // An alias that leads nowhere: the error has its name, which may be the beginning of a password.
    return { fault: `cannot be read: ${QUOTE}` };
  }
}

const NO_MAP =
  'holds no settings: each is a line `key: value`; `stratum-bridge config --defaults` prints a whole file';
const QUOTE = 'a value that begins with *, & or ! needs quotes';

/** Errors of the syntax are told without what stands there, warnings (of tags) name it. */
function placeOf(fault: YAMLError): string {
  const [place] = fault.linePos ?? [];
  const what =
    fault.name === 'YAMLWarning' ? QUOTE : (fault.message.split('\n', 1)[0] ?? '').replace(/ at line .*/, '');
  return place ? `line ${place.line}, column ${place.col}: ${what}` : what;
}

function flatten(settings: Settings, tree: unknown, prefix = ''): [string, unknown][] {
  if (tree === null || tree === undefined) return [];
  if (typeof tree !== 'object' || Array.isArray(tree) || Object.hasOwn(settings, prefix))
    return [[prefix, tree]];
  return Object.entries(tree).flatMap(([key, value]) =>
    flatten(settings, value, prefix ? `${prefix}.${key}` : key),
  );
}
