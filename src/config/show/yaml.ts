/** Settings as a YAML file: all defaults with their help, or only what differs from them. */

import { isDeepStrictEqual } from 'node:util';
import { Document, isPair, Scalar, visit } from 'yaml';
import type { Setting, Settings } from '../../values/setting.js';
import type { Loaded } from '../layers/load.js';
import { withoutSecrets } from '../layers/secrets.js';
import { environmentName, fileVariableName } from '../names.js';

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
  if (lines.length === 0) return `${head.replace(/^/gm, '#')}\n`;
  const document = new Document({});
  for (const { key, value } of lines) document.setIn(key.split('.'), document.createNode(value));
  document.commentBefore = head;
  const comments = new Map(lines.map(({ key, comment }) => [key, comment]));
  visit(document, {
    Pair(index, pair, within) {
      const names = [...within.filter(isPair), pair].map(({ key }) => String(key));
      const key = new Scalar(names.at(-1));
      const name = names.join('.');
      const comment = comments.get(name);
      if (comment !== undefined) key.commentBefore = wrap(comment, WRAP - 2 * names.length);
      const isSection = !comments.has(name);
      key.spaceBefore = isSection && index !== 0;
      pair.key = key;
      return isSection ? undefined : visit.SKIP;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** Lines of at most `width` characters, each with a blank before it, where words allow it. */
function wrap(text: string, width: number): string {
  const line = new RegExp(`(?! )(.{1,${width}}|\\S+)(?= |$)`, 'g');
  return Array.from(text.matchAll(line), ([words]) => ` ${words}`).join('\n');
}
