/** The tables of pages that repeat the code, made from the code. Run by itself, it writes them. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { CONDITIONS } from '../../../src/alerts/conditions.js';
import type { Command } from '../../../src/cli/line/command.js';
import { COMMANDS } from '../../../src/commands/commands.js';
import { environmentName, flagName } from '../../../src/config/names.js';
import { flagOf, showDefault } from '../../../src/config/show/help.js';
import type { Setting } from '../../../src/values/setting.js';
import type { Document, JsonSchema } from '../../../src/web/api/document/document.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { createRecorderMetrics } from '../../../src/web/metrics/recorder-metrics.js';
import { PREFIX } from '../../../src/web/metrics/series.js';
import { idleBridge } from '../web/idle-bridge.js';
import { ROOT, readPages } from '../web/pages.js';
import { DOCUMENT_FILE } from './api-document.js';
import { accountOfInterface } from './conformance-account.js';

/** By the first word of a marker; what follows it are its arguments. */
const TABLES: Readonly<Record<string, (args: readonly string[]) => string>> = {
  flags: flagsTable,
  commands: commandsTable,
  metrics: metricsTable,
  conditions: () =>
    tableOf(
      ['condition', 'severity', 'about', 'true when'],
      Object.entries(CONDITIONS).map(([name, { severity, about, when }]) => [
        code(name),
        severity,
        about,
        when,
      ]),
    ),
  paths: pathsTable,
  interface: () =>
    tableOf(['section', 'statement', 'served', 'spoken', 'tests that say so'], accountOfInterface()),
};

/** `text` with all between `<!-- KIND: ARGUMENTS -->` and `<!-- end -->` made anew. */
export function fillTables(text: string): string {
  return text.replace(/<!-- (\w+)(: .*?)? -->\n[\s\S]*?<!-- end -->/g, (_, kind: string, args = '') => {
    const table = TABLES[kind];
    if (!table) throw new Error(`no table is called ${kind}`);
    return `<!-- ${kind}${args} -->\n${table(args.slice(2).split(' ').filter(Boolean))}\n<!-- end -->`;
  });
}

/** Paths of the API, as its document has them. */
function pathsTable(): string {
  const { paths } = JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')) as Document;
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary = '', responses, 'x-access': asked = '' }]) => [
      code(method === 'get' ? path : `${method.toUpperCase()} ${path}`),
      asked,
      summary,
      namesIn(responses['200']?.content?.['application/json']?.schema).map(code).join(' or '),
    ]),
  );
  return tableOf(['path', 'for', 'gives', 'fields'], rows);
}

/** Of what it gives, or of what it gives a list of. */
function namesIn(schema: JsonSchema | undefined): string[] {
  const [list] = Object.values(schema?.properties ?? {}).flatMap(({ items }) => (items ? [items] : []));
  const choices = schema?.anyOf ?? [list ?? schema];
  return choices.flatMap((each) => each?.$ref?.split('/').at(-1) ?? []);
}

/** Settings of one command. */
function flagsTable([name = '']: readonly string[]): string {
  return settingsTable(Object.entries(COMMANDS[name]?.settings ?? {}));
}

function settingsTable(settings: readonly (readonly [key: string, setting: Setting])[]): string {
  return tableOf(
    ['key, flag, variable', 'default', 'what it is'],
    settings.map(([key, setting]) => [
      namesOf(key, setting).map(code).join('<br>'),
      showDefault(setting),
      setting.help + (setting.live ? ' *Live.*' : ''),
    ]),
  );
}

function namesOf(key: string, setting: Setting): string[] {
  const flag = flagOf(flagName(key), setting);
  if (setting.flagOnly) return [flag];
  return [key, ...(setting.noFlag ? [] : [flag]), environmentName(key)];
}

/** All commands, or those below one, with the flags that not all of them take. */
function commandsTable([name]: readonly string[]): string {
  if (name === undefined)
    return tableOf(
      ['command', 'does'],
      Object.entries(COMMANDS).map(([each, { summary }]) => [code(each), summary]),
    );
  const nested = leavesOf(name, COMMANDS[name]);
  const isCommon = (flag: string): boolean => nested.every(({ flags }) => flags.includes(flag));
  return tableOf(
    ['command', 'does', 'flags of its own'],
    nested.map(({ usage, summary, flags }) => {
      const own = flags.filter((flag) => !isCommon(flag));
      return [code(usage), summary, own.map((flag) => code(`--${flag}`)).join(', ')];
    }),
  );
}

interface Leaf {
  readonly usage: string;
  readonly summary: string;
  readonly flags: readonly string[];
}

function leavesOf(path: string, command: Command | undefined): Leaf[] {
  return Object.entries(command?.commands ?? {}).flatMap(([word, nested]) => {
    if (nested.commands) return leavesOf(`${path} ${word}`, nested);
    const usage = `${path} ${word} ${nested.words ?? ''}`.trim();
    return [{ usage, summary: nested.summary, flags: shownSettings(nested).map(flagName) }];
  });
}

function shownSettings({ settings = {} }: Command): readonly string[] {
  return Object.keys(settings).filter((key) => settings[key]?.flagOnly || settings[key]?.basic);
}

function metricsTable(): string {
  const { events, sources } = idleBridge();
  const ofBridge = createMetrics(events, sources).getMetricsAsArray();
  const ofRecorder = createRecorderMetrics({ ...sources, entries: () => ({}) }).getMetricsAsArray();
  const known = new Set(ofBridge.map(({ name }) => name));
  const all = [...ofBridge, ...ofRecorder.filter(({ name }) => !known.has(name))];
  return tableOf(
    ['metric', 'type', 'labels', 'what it is'],
    all.filter(({ name }) => name.startsWith(PREFIX)).map(metricRow),
  );
}

type Metric = ReturnType<Registry['getMetricsAsArray']>[number];

function metricRow(metric: Metric): string[] {
  const { name, help, type } = metric;
  // Not among its types, which tell of values.
  const { labelNames = [] } = metric as Metric & { labelNames?: readonly string[] };
  return [code(name), String(type), labelNames.map(code).join(', '), help];
}

function code(text: string): string {
  return `\`${text}\``;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(rowOf).join('\n');
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

if (process.argv[2] === '--write')
  for (const { path, text } of readPages()) writeFileSync(join(ROOT, path), fillTables(text));
