/** The lists of `src/operations` as commands of `ctl`: their flags are what the entry asks for, their columns those of the entry. */

import { z } from 'zod';
import { type Asked, type Command, defineCommand, OK } from '../../cli/line/command.js';
import type { List } from '../../operations/operation.js';
import { type Setting, type Settings, setting } from '../../values/setting.js';
import { oneOf, text } from '../../values/words.js';
import type { OnBridge } from './bridge.js';
import { CTL_LIST_SETTINGS, type CtlListSettings } from './settings.js';

/** Where one of a few words may be given, and none need be. */
const ANY = 'any';

/** @param list one that has a command. */
export function listCommand(list: List): Command {
  const asked = flagsOf(list);
  const { summary = '', ...help } = list.command ?? {};
  return defineCommand({
    ...help,
    summary,
    settings: { ...asked, ...CTL_LIST_SETTINGS },
    run: async (asked) => {
      const { onBridge } = await import('./bridge.js');
      return onBridge(asked as unknown as Asked<CtlListSettings>, (on) => showList(on, list));
    },
  });
}

/** Of the question, all but which part of the list: a flag each, of the same name. */
function flagsOf({ input }: List): Settings {
  const { offset: _, limit: __, ...asked } = input.shape;
  return Object.fromEntries(
    Object.entries(asked).map(([key, type]) => [key, flagOf(key, type as z.ZodType)]),
  );
}

function flagOf(key: string, type: z.ZodType): Setting {
  const described = type.description ?? '';
  const help = `${described.charAt(0).toUpperCase()}${described.slice(1)}.`;
  const [words, byDefault] = wordsOf(type);
  if (!words) return setting(text, { shape: 'TEXT', help, flagOnly: true, default: '' });
  const choices = byDefault === ANY ? [ANY, ...words] : words;
  return setting(oneOf(...(choices as [string, ...string[]])), {
    ...{ choices, default: byDefault, shape: key.toUpperCase(), flagOnly: true },
    help: `${help} One of ${choices.join(', ')}.`,
  });
}

/** Those that it takes, and the one that is meant where none is given; `undefined` where any text will do. */
function wordsOf(type: z.ZodType): [readonly string[] | undefined, string] {
  if (type instanceof z.ZodOptional) return [wordsOf(type.def.innerType as z.ZodType)[0], ANY];
  if (type instanceof z.ZodDefault)
    return [wordsOf(type.def.innerType as z.ZodType)[0], String(type.def.defaultValue)];
  return [type instanceof z.ZodEnum ? type.options.map(String) : undefined, ANY];
}

/** Programs get the items as the API has them, people and spreadsheets the columns of the entry. */
export async function showList(on: OnBridge<CtlListSettings>, list: List): Promise<number> {
  const { config, io } = on;
  const { refuseTwoForms } = await import('../../cli/screen/form.js');
  const { print } = await import('../../cli/screen/print.js');
  refuseTwoForms(config);
  const { items, json, total, isComplete } = await itemsOf(on, list);
  if (wantsJson(on)) io.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  else print(items, list.columns, { config, io });
  if (items.length < total)
    io.stderr.write(`stratum-bridge: ${items.length} of ${total} are shown: --limit shows more\n`);
  if (!isComplete)
    io.stderr.write('stratum-bridge: the ledger does not answer: what only the books have is missing\n');
  return OK;
}

/** Programs do, where nothing else is asked for. */
function wantsJson({ config, io }: OnBridge<CtlListSettings>): boolean {
  return config.json || !(config.csv || config.wide || io.stdout.isTTY);
}

/** Of one answer of the API. */
const MOST_AT_ONCE = 1000;

interface Items {
  readonly items: readonly object[];
  /** As they came. */
  readonly json: readonly unknown[];
  readonly total: number;
  /** False where a part of it could not be had. */
  readonly isComplete: boolean;
}

async function itemsOf(on: OnBridge<CtlListSettings>, { name, path, input, item }: List): Promise<Items> {
  const { limit } = on.config;
  const given = on.config as unknown as Readonly<Record<string, string>>;
  const wanted = Object.keys(input.shape).filter((key) => !['offset', 'limit'].includes(key));
  const asked = wanted.flatMap((key) => {
    const value = given[key] ?? '';
    return value === '' || value === ANY ? [] : [[key, value] as const];
  });
  const shape = z.object({
    total: z.number(),
    isComplete: z.boolean().default(true),
    [name]: z.array(item),
  });
  const [items, json]: [object[], unknown[]] = [[], []];
  for (;;) {
    const part = { offset: `${items.length}`, limit: `${Math.min(MOST_AT_ONCE, limit - items.length)}` };
    const query = new URLSearchParams({ ...Object.fromEntries(asked), ...part });
    const answer = await on.ask(shape, 'GET', `${path}?${query}`);
    const page = answer.read[name] as object[];
    items.push(...page);
    json.push(...((answer.json as Record<string, unknown[]>)[name] ?? []));
    const { total, isComplete } = answer.read as { total: number; isComplete: boolean };
    if (page.length === 0 || items.length >= Math.min(limit, total))
      return { items, json, total, isComplete };
  }
}
