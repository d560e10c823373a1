/** The lists of `src/operations` as commands: their flags are what the entry asks for, their columns those of the entry. */
import { z } from 'zod';
import { type Asked, type Command, defineCommand, OK } from '../../cli/line/command.js';
import { MOST_AT_ONCE } from '../../operations/entry/fields.js';
import { type List, pathOf } from '../../operations/entry/operation.js';
import type { Setting } from '../../values/setting.js';
import type { OnBridge } from './bridge.js';
import { ANY, flagsOf } from './entry-flags.js';
import type { CtlListSettings } from './settings.js';
import type { Way } from './way.js';

/** @param list one that has a command. */
export function listCommand<S extends CtlListSettings>(list: List, { settings, on }: Way<S>): Command {
  const { offset: _, before: __, limit: ___, ...questions } = list.input.shape;
  const asked: Record<string, Setting> = { ...flagsOf(questions) };
  const { summary = '', given, incomplete: _____, ...help } = list.command ?? {};
  // What words say needs no flag.
  for (const key of Object.keys(given?.() ?? {})) delete asked[key];
  return defineCommand({
    ...help,
    summary,
    settings: { ...asked, ...settings },
    run: (asked) => on(asked as unknown as Asked<S>, (way) => showList(way as never, list)),
  });
}

/** Programs get the items as the API has them, people and spreadsheets the columns of the entry. */
export async function showList(on: OnBridge<CtlListSettings>, list: List): Promise<number> {
  const { config, io } = on;
  const { refuseTwoForms } = await import('../../cli/screen/form.js');
  const { print } = await import('../../cli/screen/print.js');
  refuseTwoForms(config);
  const { path, params, rest } = pathOf(list.path, list.command?.given?.(...on.words) ?? {});
  const { checkAsked } = await import('./check-asked.js');
  checkAsked(list.params, params, []);
  const { items, json, whole, isComplete } = await itemsOf(
    { ask: on.ask, config: { ...config, ...rest } },
    { ...list, path },
  );
  if (wantsJson(on)) io.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  else print(items, list.columns, { config, io });
  if (whole === undefined || items.length < whole) {
    const part = whole === undefined ? `the first ${items.length}` : `${items.length} of ${whole}`;
    io.stderr.write(`stratum-bridge: ${part} are shown: --limit shows more\n`);
  }
  if (!isComplete)
    io.stderr.write(`stratum-bridge: ${list.command?.incomplete ?? 'a part of it is missing'}\n`);
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
async function itemsOf(
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
