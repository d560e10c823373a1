/** Orders of `src/operations` as commands of `ctl`. */
import { type Asked, type Command, defineCommand } from '../../cli/line/command.js';
import type { Order, OrderCommand } from '../../operations/entry/operation.js';
import type { OnBridge } from './bridge.js';
import { flagsOf, shapeOf } from './entry-flags.js';
import { CTL_LIST_SETTINGS, CTL_SETTINGS, type CtlListSettings } from './settings.js';

/** Of an order that has them: nested where their names have two words, as `ban login` has. */
export function orderCommands(order: Order): readonly (readonly [name: string, command: Command])[] {
  return Object.entries(order.commands ?? {}).map(([name, declared]) => [
    name,
    orderCommand(order, declared),
  ]);
}

function orderCommand(order: Order, declared: OrderCommand<never>): Command {
  const { flags: keys = [], given: _, said: __, list, ...help } = declared;
  const flags = flagsOf(Object.fromEntries(keys.map((key) => [key, shapeOf(order.body)[key]])));
  return defineCommand({
    ...help,
    settings: { ...flags, ...(list ? CTL_LIST_SETTINGS : CTL_SETTINGS) },
    run: async (asked) => {
      const { onBridge } = await import('./bridge.js');
      return onBridge(asked as unknown as Asked<CtlListSettings>, (on) => give(on, order, declared));
    },
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
  const values = config as unknown as Readonly<Record<string, string>>;
  const flagged = flags.flatMap((key) => (values[key] === '' ? [] : [[key, values[key]]]));
  const { json, read } = await giveOrder(on, order, { ...named, ...Object.fromEntries(flagged) });
  const { say } = await import('./say.js');
  return say(json, said(read as never), on);
}

/** What stands in the path of the order goes there, and all else into its body. */
function giveOrder({ ask }: OnBridge<CtlListSettings>, order: Order, given: object) {
  const rest = new Map<string, unknown>(Object.entries(given));
  const path = order.path.replace(/:(\w+)/g, (_, part: string) => {
    const value = rest.get(part);
    rest.delete(part);
    return encodeURIComponent(String(value));
  });
  return ask(order.output, order.method, path, order.body && Object.fromEntries(rest));
}
