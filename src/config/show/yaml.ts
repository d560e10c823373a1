/** Settings as a YAML file: all defaults with their help, or only what differs from them. */

import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, Pair, Scalar, YAMLMap } from 'yaml';
import type { Setting, Settings } from '../../values/setting.js';
import type { Loaded } from '../layers/load.js';
import { withoutSecrets } from '../layers/secrets.js';
import { environmentName, fileVariableName } from '../names.js';
import { wrap } from './help.js';

const WRAP = 100;

interface Line {
  readonly key: string;
  readonly value: unknown;
  readonly comment?: string;
}

/** What is so without the file, with help above each key, and whether it may change live. */
export function defaultsAsYaml(settings: Settings): string {
  const head = [
    ' Settings of stratum-bridge with their defaults. Use it with --config FILE.',
    ' stratum.tcp is --stratum-tcp as a flag and STRATUM_BRIDGE_STRATUM_TCP as a variable, and so on; `rig` and `node` leave out',
    ' the name of their own section: devnode.listen is `node --listen`. Tokens, and alerts.targets, have no flag.',
    ' A running command takes another value of those marked live when it gets SIGHUP; all others want a restart.',
  ].join('\n');
  const lines = Object.entries(settings).map(([key, setting]): Line => {
    return { key, value: setting.default, comment: `${setting.help}${setting.live ? ' (live)' : ''}` };
  });
  return asYaml(head, lines);
}

/** What differs from the defaults, but for secrets, of which it says how to give them. */
export function minimalAsYaml<S extends Settings>(settings: S, loaded: Loaded<S>): string {
  const differing = Object.entries(settings).filter(
    ([key, setting]) => !setting.flagOnly && !isDeepStrictEqual(loaded.config[key], readDefault(setting)),
  );
  const isShown = ([key, setting]: [string, Setting]): boolean =>
    isDeepStrictEqual(withoutSecrets(setting, loaded.written[key]), loaded.written[key]);
  const head = [
    ' What differs from the defaults. Use it with --config FILE.',
    ...differing.filter((entry) => !isShown(entry)).map(([key, setting]) => elsewhere(key, setting)),
  ];
  const lines = differing
    .filter(isShown)
    .map(([key, setting]) => ({ key, value: plain(setting, loaded.written[key], loaded.config[key]) }));
  return asYaml(head.join('\n'), lines);
}

function elsewhere(key: string, setting: Setting): string {
  const names = `${environmentName(key)} or ${fileVariableName(key, setting)}`;
  return ` ${key}: set elsewhere, since it is secret; give it with the variable ${names}.`;
}

function readDefault(setting: Setting): unknown {
  return setting.type(setting.default).parse(setting.default);
}

/** What flags and variables say in text, as a file would: lists, maps, true and false, and plain numbers. */
function plain(setting: Setting, written: unknown, read: unknown): unknown {
  if (typeof written !== 'string' && !Array.isArray(written)) return written;
  const isNumber = typeof written === 'string' && /^\d{1,15}$/.test(written);
  if (!isNumber && typeof read !== 'boolean' && typeof read !== 'object') return written;
  const inFile = isNumber ? Number(written) : read;
  const again = setting.type(setting.default).safeParse(inFile);
  return again.success && isDeepStrictEqual(again.data, read) ? inFile : written;
}

function asYaml(head: string, lines: readonly Line[]): string {
  const document = new Document(new YAMLMap());
  document.commentBefore = head;
  for (const line of lines) add(document, line);
  return lines.length === 0
    ? `${head.replace(/^/gm, '#')}\n`
    : document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** `a.b.c` stands two maps deep. */
function add(document: Document, { key, value, comment }: Line): void {
  const path = key.split('.');
  let map = document.contents as YAMLMap;
  while (path.length > 1) {
    map = sectionOf(map, path.shift() ?? '');
  }
  const name = new Scalar(path.join('.'));
  if (comment !== undefined) {
    const lines = wrap(comment, WRAP - 2 * key.split('.').length);
    name.commentBefore = lines.map((line) => ` ${line}`).join('\n');
  }
  map.add(new Pair(name, document.createNode(value)));
}

function sectionOf(map: YAMLMap, name: string): YAMLMap {
  const found = map.get(name);
  if (isMap(found)) return found;
  const section = new YAMLMap();
  const key = new Scalar(name);
  key.spaceBefore = map.items.length > 0;
  map.add(new Pair(key, section));
  return section;
}
