/** What `ctl` lists. */
import { z } from 'zod';
import { type Asked, OK } from '../../cli/line/command.js';
import type { Columns } from '../../cli/screen/columns.js';
import { refuseTwoForms } from '../../cli/screen/form.js';
import { print } from '../../cli/screen/print.js';
import type { CtlListSettings, CtlRigsSettings } from '../../config/settings/ctl-settings.js';
import { LISTED_ACCOUNT } from '../../web/api/schemas/book-schemas.js';
import { BAN, NODE, RIG, SESSION } from '../../web/api/schemas/schemas.js';
import { type OnBridge, onBridge } from './bridge.js';
import {
  ACCOUNTS,
  accountRow,
  BANS,
  banRow,
  NODES,
  nodeRow,
  RIGS,
  rigRow,
  SESSIONS,
  sessionRow,
} from './columns.js';

export async function rigs(asked: Asked<CtlRigsSettings>): Promise<number> {
  return onBridge(asked, async (on) => {
    const { state, ofAccount, q, sort, order } = on.config;
    const wanted = {
      ...{ q, account: ofAccount, sort },
      state: state === 'all' ? '' : state,
      order: order === 'auto' ? '' : order,
    };
    return showList(on, { name: 'rigs', item: RIG, wanted, row: rigRow, columns: RIGS });
  });
}

export async function sessions(asked: Asked<CtlListSettings>): Promise<number> {
  return onBridge(asked, (on) =>
    showList(on, { name: 'sessions', item: SESSION, row: sessionRow, columns: SESSIONS }),
  );
}

export async function accounts(asked: Asked<CtlListSettings>): Promise<number> {
  return onBridge(asked, (on) =>
    showList(on, { name: 'accounts', item: LISTED_ACCOUNT, row: accountRow, columns: ACCOUNTS }),
  );
}

export async function bans(asked: Asked<CtlListSettings>): Promise<number> {
  return onBridge(asked, (on) => showList(on, { name: 'bans', item: BAN, row: banRow, columns: BANS }));
}

export async function nodes(asked: Asked<CtlListSettings>): Promise<number> {
  return onBridge(asked, (on) => showAll(on, { name: 'nodes', item: NODE, row: nodeRow, columns: NODES }));
}

/** A list of few, which has no pages. */
async function showAll<S extends z.ZodType, Row extends object>(
  { ask, config, io }: OnBridge<CtlListSettings>,
  { name, item, row, columns }: List<S, Row>,
): Promise<number> {
  refuseTwoForms(config);
  const { read, json } = await ask(z.object({ [name]: z.array(item) }), 'GET', `/api/v1/${name}`);
  if (wantsJson(config, io)) {
    io.stdout.write(`${JSON.stringify((json as Record<string, unknown>)[name], null, 2)}\n`);
  } else print((read[name] as z.output<S>[]).map(row), columns, { config, io });
  return OK;
}

/** A list of the API, by the name of its path, and how it is shown. */
export interface List<S extends z.ZodType, Row extends object> {
  readonly name: string;
  readonly item: S;
  /** Of the question; what is empty is left out. */
  readonly wanted?: Readonly<Record<string, string>>;
  readonly row: (item: z.output<S>) => Row;
  readonly columns: Columns<Row>;
}

/** Programs get the items as the API has them, people and spreadsheets their rows. */
export async function showList<S extends z.ZodType, Row extends object>(
  on: OnBridge<CtlListSettings>,
  list: List<S, Row>,
): Promise<number> {
  const { config, io } = on;
  refuseTwoForms(config);
  const { items, json, total, isComplete } = await itemsOf(on, list);
  if (wantsJson(config, io)) io.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  else print(items.map(list.row), list.columns, { config, io });
  if (items.length < total)
    io.stderr.write(`stratum-bridge: ${items.length} of ${total} are shown: --limit shows more\n`);
  if (!isComplete)
    io.stderr.write('stratum-bridge: the ledger does not answer: what only the books have is missing\n');
  return OK;
}

/** Programs do, where nothing else is asked for. */
function wantsJson(
  config: OnBridge<CtlListSettings>['config'],
  io: OnBridge<CtlListSettings>['io'],
): boolean {
  return config.json || !(config.csv || config.wide || io.stdout.isTTY);
}

/** Of one answer of the API. */
const MOST_AT_ONCE = 1000;

interface Items<T> {
  readonly items: readonly T[];
  /** As they came. */
  readonly json: readonly unknown[];
  readonly total: number;
  /** False where a part of it could not be had. */
  readonly isComplete: boolean;
}

async function itemsOf<S extends z.ZodType, Row extends object>(
  { ask, config: { limit } }: OnBridge<CtlListSettings>,
  { name, item, wanted = {} }: List<S, Row>,
): Promise<Items<z.output<S>>> {
  const shape = z.object({
    total: z.number(),
    isComplete: z.boolean().default(true),
    [name]: z.array(item),
  });
  const [items, json]: [z.output<S>[], unknown[]] = [[], []];
  for (;;) {
    const slice = {
      offset: String(items.length),
      limit: String(Math.min(MOST_AT_ONCE, limit - items.length)),
    };
    const given = Object.entries({ ...wanted, ...slice }).filter(([, value]) => value !== '');
    const answer = await ask(shape, 'GET', `/api/v1/${name}?${new URLSearchParams(given)}`);
    const page = answer.read[name] as z.output<S>[];
    items.push(...page);
    json.push(...((answer.json as Record<string, unknown[]>)[name] ?? []));
    const total = Number(answer.read['total']);
    const isComplete = Boolean(answer.read['isComplete']);
    if (page.length === 0 || items.length >= Math.min(limit, total))
      return { items, json, total, isComplete };
  }
}
