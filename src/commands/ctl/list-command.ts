/** The lists of `src/operations` as commands: their flags are what the entry asks for, their columns those of the entry. */
import { z } from 'zod';
import { type Asked, type Command, defineCommand, OK } from '../../cli/line/command.js';
import { CTL_LIST_SETTINGS, type CtlListSettings } from '../../config/settings/ctl-settings.js';
import { type Setting, type Settings, setting } from '../../config/settings/setting.js';
import { MOST_AT_ONCE } from '../../operations/fields.js';
import type { List } from '../../operations/operation.js';
import type { OnBridge } from './bridge.js';

export const LIST_FLAGS = ['limit', 'csv', 'wide', 'json', 'dataDir'] as const;
/** Where one of a few words may be given, and none need be. */
const ANY = 'any';

/** Whom a list is asked of. */
export interface Way<S extends CtlListSettings = CtlListSettings> {
  readonly settings: S;
  /** Of them, those that help shows. */
  readonly shows: readonly (keyof S & string)[];
  on(asked: Asked<S>, act: (on: OnBridge<S>) => Promise<number>): Promise<number>;
}

/** A bridge that runs. */
export const CTL: Way = {
  settings: CTL_LIST_SETTINGS,
  shows: LIST_FLAGS,
  on: async (asked, act) => (await import('./bridge.js')).onBridge(asked, act),
};

/** @param list one that has a command. */
export function listCommand<S extends CtlListSettings>(list: List, { settings, shows, on }: Way<S>): Command {
  const asked = flagsOf(list);
  const { summary = '', ...help } = list.command ?? {};
  return defineCommand({
    ...help,
    summary,
    settings: { ...settings, ...asked },
    shows: [...Object.keys(asked), ...shows] as never,
    run: (asked) => on(asked as unknown as Asked<S>, (way) => showList(way as never, list)),
  });
}

/** Of the question, all but which part of the list: a flag each, of the same name. */
function flagsOf({ input }: List): Settings {
  const { offset: _, before: __, limit: ___, ...asked } = input.shape;
  return Object.fromEntries(
    Object.entries(asked).map(([key, type]) => [key, flagOf(key, type as z.ZodType)]),
  );
}

function flagOf(key: string, type: z.ZodType): Setting {
  const described = type.description ?? '';
  const help = `${described.charAt(0).toUpperCase()}${described.slice(1)}.`;
  const [words, byDefault] = wordsOf(type);
  if (!words)
    return setting(key, (values) => values.text, { shape: 'TEXT', help, flagOnly: true, default: '' });
  const choices = byDefault === ANY ? [ANY, ...words] : words;
  return setting(key, (values) => values.oneOf(...(choices as [string, ...string[]])), {
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
  const { items, json, whole, isComplete } = await itemsOf(on, list);
  if (wantsJson(on)) io.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  else print(items, list.columns, { config, io });
  if (whole === undefined || items.length < whole) {
    const part = whole === undefined ? `the first ${items.length}` : `${items.length} of ${whole}`;
    io.stderr.write(`stratum-bridge: ${part} are shown: --limit shows more\n`);
  }
  if (!isComplete)
    io.stderr.write('stratum-bridge: the ledger does not answer: what only the books have is missing\n');
  return OK;
}

/** Programs do, where nothing else is asked for. */
function wantsJson({ config, io }: OnBridge<CtlListSettings>): boolean {
  return config.json || !(config.csv || config.wide || io.stdout.isTTY);
}

/** Of any list: it has the one or the other of the first two. */
const PAGE = z.object({
  total: z.number().optional(),
  next: z.string().nullish(),
  isComplete: z.boolean().default(true),
});

interface Items {
  readonly items: readonly object[];
  /** As they came. */
  readonly json: readonly unknown[];
  /** How many there are in all; `undefined` where there are more, and nobody has counted them. */
  readonly whole: number | undefined;
  /** False where a part of it could not be had. */
  readonly isComplete: boolean;
}

/** @param on with the limit in `config`, and there by its name what else the list is asked. */
export async function itemsOf(
  { ask, config }: Pick<OnBridge<CtlListSettings>, 'ask'> & { readonly config: object },
  { name, path, input, item, most = MOST_AT_ONCE }: List,
): Promise<Items> {
  const { limit, ...given } = config as { readonly limit: number } & Readonly<Record<string, string>>;
  const wanted = Object.keys(input.shape).filter((key) => !['offset', 'before', 'limit'].includes(key));
  const asked = wanted.flatMap((key) => {
    const value = given[key] ?? '';
    return value === '' || value === ANY ? [] : [[key, value] as const];
  });
  const shape = PAGE.extend({ [name]: z.array(item) });
  const [items, json]: [object[], unknown[]] = [[], []];
  let place: Readonly<Record<string, string>> = {};
  for (;;) {
    const part = { ...place, limit: `${Math.min(most, limit - items.length)}` };
    const query = new URLSearchParams({ ...Object.fromEntries(asked), ...part });
    const answer = await ask(shape, 'GET', `${path}?${query}`);
    const page = answer.read[name] as object[];
    items.push(...page);
    json.push(...((answer.json as Record<string, unknown[]>)[name] ?? []));
    const { total, next, isComplete } = PAGE.parse(answer.read);
    const whole = total ?? (next ? undefined : items.length);
    if (page.length === 0 || items.length >= Math.min(limit, whole ?? limit))
      return { items, json, whole, isComplete };
    place = next ? { before: next } : { offset: `${items.length}` };
  }
}
