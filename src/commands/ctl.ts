/** `stratum-bridge ctl`: what an operator sees and orders of a bridge that runs. */

import { type Command, defineCommand } from '../cli/line/command.js';
import { bans } from '../operations/bans.js';
import { accounts } from '../operations/books/accounts.js';
import { nodes } from '../operations/nodes.js';
import { RIG_ORDERS } from '../operations/orders/rig-orders.js';
import { rigs, sessions } from '../operations/rigs.js';
import { reload } from '../operations/settings.js';
import { listCommand } from './ctl/list-command.js';
import { orderCommands } from './ctl/order-command.js';
import { CTL_DRAIN_SETTINGS } from './ctl/settings.js';
import { CTL } from './ctl/way.js';

/** What is above commands of two words. */
const GROUPS: Readonly<Record<string, Command>> = {
  ban: {
    summary: 'ban somebody, and end the sessions that it meets',
    about:
      'A banned rig is told the reason and kept out until the ban ends, or until `ctl unban` takes it back. Banning the same again ' +
      'changes reason and end.',
  },
  message: {
    summary: 'show a text to rigs that take one',
    about:
      'Prints how many sessions show it, of how many were meant. A text is one line of at most 500 characters.',
  },
};

const drain = defineCommand({
  summary: 'empty the bridge, and stop it then with --stop',
  about:
    'Lets nobody in. Rigs that take it are asked to reconnect, each at a time of its own. Without --stop the bridge stays, and lets nobody ' +
    'in until the drain is cancelled. With --stop this waits until the bridge has stopped, and fails when the drain is cancelled before; ' +
    'Ctrl-C and --detach leave the drain as it is.',
  settings: CTL_DRAIN_SETTINGS,
  examples: ['ctl drain --over 15m --stop', 'ctl drain --status', 'ctl drain --cancel'],
  run: async (asked) => (await import('./ctl/drain.js')).drain(asked),
});

/** By their words, as a tree. */
function tree(all: readonly (readonly [name: string, command: Command])[]): Record<string, Command> {
  const commands: Record<string, Command> = {};
  for (const [name, command] of all) {
    const [first = '', second] = name.split(' ');
    if (second === undefined) commands[first] = command;
    else {
      const group = commands[first] ?? GROUPS[first] ?? { summary: '' };
      commands[first] = { ...group, commands: { ...group.commands, [second]: command } };
    }
  }
  return commands;
}

export const command: Command = {
  summary:
    'see and steer a bridge that runs: rigs, nodes, bans, addresses, difficulties, labels, drain, reload, messages',
  about:
    'Talks to a bridge that runs on this machine, by a socket in its data directory which only the user of the bridge may ' +
    'open; so it needs no token. It is found by --data-dir, or by the file of settings that the bridge has.',
  commands: {
    ...Object.fromEntries(
      ([rigs, sessions, accounts, bans, nodes] as const).map((list) => [
        list.name,
        listCommand(list, CTL.list),
      ]),
    ),
    ...tree(orderCommands(RIG_ORDERS, CTL)),
    drain,
    ...tree(orderCommands({ reload }, CTL)),
  },
};
