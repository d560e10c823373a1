/** Orders of `src/operations` as commands. */
import { type Asked, type Command, defineCommand } from '../../cli/line/command.js';
import { type Order, type OrderCommand, pathOf } from '../../operations/entry/operation.js';
import type { OnBridge } from './bridge.js';
import { bodyFrom, flagsOf, shapeOf } from './entry-flags.js';
import type { CtlListSettings, CtlSettings } from './settings.js';
import type { OrderWay, Way } from './way.js';

/** Of orders that have them, by their words. */
export function orderCommands<S extends CtlSettings, L extends CtlListSettings>(
  orders: Readonly<Record<string, Order>>,
  ways: OrderWay<S, L>,
): readonly (readonly [name: string, command: Command])[] {
  return Object.values(orders).flatMap((order) =>
    Object.entries(order.commands ?? {}).map(
      ([name, declared]) => [name, orderCommand(order, declared, ways)] as const,
    ),
  );
}

function orderCommand<S extends CtlSettings, L extends CtlListSettings>(
  order: Order,
  declared: OrderCommand<never>,
  ways: OrderWay<S, L>,
): Command {
  const { flags: keys = [], given: _, said: __, list, ...help } = declared;
  const flags = flagsOf(Object.fromEntries(keys.map((key) => [key, shapeOf(order.body)[key]])));
  const { settings, on } = (list ? ways.list : ways.order) as Way<CtlListSettings>;
  return defineCommand({
    ...help,
    settings: { ...flags, ...settings },
    run: async (asked) => on(asked as unknown as Asked<CtlListSettings>, (way) => give(way, order, declared)),
  });
}

async function give(
  on: OnBridge<CtlListSettings>,
  order: Order,
  { flags = [], given, said, list }: OrderCommand<never>,
): Promise<number> {
  const { words, config } = on;
  if (list && words.length === 0) return (await import('./list-command.js')).showList(on, list);
  const named = given?.(...words) ?? {};
  if (typeof named === 'string') {
    const { ConfigError } = await import('../../config/layers/config-error.js');
    throw new ConfigError([named]);
  }
  const all = { ...named, ...bodyFrom(config, flags) };
  const { path, params, rest } = pathOf(order.path, all);
  const { checkAsked } = await import('./check-asked.js');
  checkAsked(order.params, params, flags);
  checkAsked(order.body, rest, flags);
  const { json, read } = await on.ask(order.output, order.method, path, order.body && rest, order.takesLong);
  const { say } = await import('./say.js');
  return say(json, said(read as never), on);
}
