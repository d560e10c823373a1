/** Settings as people read them: help, effective values, a commented file. */
import { stringify } from 'yaml';
import type { Loaded } from './load.js';
import { isEmpty, withoutSecrets } from './secrets.js';
import type { Setting, Settings } from './setting.js';
import { environmentName } from './settings.js';

const WRAP = 100;

/** One entry a setting: flag, what it does, default, key. */
export function helpOfSettings(settings: Settings, withKeys: boolean): string {
  return Object.entries(settings)
    .map(([key, setting]) => {
      const flag = `  ${flagOf(setting)}${setting.repeatable ? ' (repeatable)' : ''}`;
      const names = withKeys ? `${key}, ${environmentName(key)}; ` : '';
      const lines = wrap(`${setting.help} [${names}default ${showDefault(setting)}]`, WRAP - 6);
      return [flag, ...lines.map((line) => `      ${line}`)].join('\n');
    })
    .join('\n');
}

/** `--tcp HOST:PORT` */
export function flagOf({ flag, shape }: Setting): string {
  return `--${flag} ${shape}`.trimEnd();
}

/** The default as a person writes it. */
export function showDefault(setting: Setting): string {
  const value = setting.default;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return isEmpty(value) ? 'none' : String(value);
}

/** `key = value  (source)` a line. */
export function showEffective<S extends Settings>(settings: S, loaded: Loaded<S>): string {
  const rows = Object.entries(settings).map(([key, setting]) => {
    const value = withoutSecrets(setting, loaded.written[key]);
    return { left: `${key} = ${JSON.stringify(value)}`, source: loaded.sources[key] };
  });
  const width = Math.max(...rows.map((row) => row.left.length));
  return rows.map((row) => `${row.left.padEnd(width)}  (${row.source})`).join('\n');
}

export function effectiveAsJson<S extends Settings>(settings: S, loaded: Loaded<S>): object {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [
      key,
      { value: withoutSecrets(setting, loaded.written[key]), source: loaded.sources[key] },
    ]),
  );
}

/** A YAML file that says what is so without it, with help, flag and variable above each key. */
export function defaultsAsYaml(settings: Settings): string {
  const head = '# Settings of stratum-bridge with their defaults. Use it with --config FILE.\n';
  return (
    head +
    sections(settings)
      .map(([name, entries]) => sectionAsYaml(name, entries))
      .join('')
  );
}

function sections(settings: Settings): [string, [string, Setting][]][] {
  const byName = new Map<string, [string, Setting][]>();
  for (const [key, setting] of Object.entries(settings)) {
    const dot = key.indexOf('.');
    const section = dot === -1 ? '' : key.slice(0, dot);
    byName.set(section, [...(byName.get(section) ?? []), [key.slice(dot + 1), setting]]);
  }
  return [...byName];
}

function sectionAsYaml(name: string, entries: [string, Setting][]): string {
  const indent = name === '' ? '' : '  ';
  const body = entries.map(([field, setting]) => {
    const key = name === '' ? field : `${name}.${field}`;
    const comment = wrap(`${setting.help} (--${setting.flag}, ${environmentName(key)})`, WRAP - 4);
    const value = stringify({ [field]: setting.default })
      .trimEnd()
      .split('\n');
    return [...comment.map((line) => `# ${line}`), ...value].map((line) => `${indent}${line}\n`).join('');
  });
  return `\n${name === '' ? '' : `${name}:\n`}${body.join('')}`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
