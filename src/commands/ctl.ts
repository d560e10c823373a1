/** `stratum-bridge ctl`: what an operator sees and orders of a bridge that runs. */

import { type Command, defineCommand } from '../cli/line/command.js';
import { accounts } from '../operations/accounts.js';
import { bans } from '../operations/bans.js';
import { nodes } from '../operations/nodes.js';
import { rigs, sessions } from '../operations/rigs.js';
import { listCommand } from './ctl/list-command.js';
import {
  CTL_BAN_SETTINGS,
  CTL_CLOSE_SETTINGS,
  CTL_DRAIN_SETTINGS,
  CTL_LIST_SETTINGS,
  CTL_SETTINGS,
} from './ctl/settings.js';

const close = defineCommand({
  summary: 'close one session',
  about:
    'It may come back, unless it is banned. A session is named by its number and the time it was opened, as `ctl sessions` shows it: numbers are given out ' +
    'again after a restart, and no other session is ever hit.',
  words: '<session>',
  settings: CTL_CLOSE_SETTINGS,
  examples: ['ctl close 7@2026-11-22T15:26:37.123Z --reason "new cable"'],
  run: async (asked) => (await import('./ctl/orders.js')).close(asked),
});

function banCommand(
  kind: 'login' | 'account' | 'address' | 'rig',
  words: string,
  summary: string,
  example: string,
) {
  return defineCommand({
    summary,
    words,
    settings: CTL_BAN_SETTINGS,
    examples: [`ctl ban ${kind} ${example}`],
    run: async (asked) => (await import('./ctl/orders.js')).ban(kind, asked),
  });
}

const ban: Command = {
  summary: 'ban somebody, and end the sessions that it meets',
  about:
    'Who is banned is told so with the reason, and kept out until the end of the ban, or until `ctl unban` takes it back. ' +
    'The same again changes reason and end.',
  commands: {
    login: banCommand(
      ...(['login', '<login>', 'one login, wherever it comes from'] as const),
      'k:….attic --for 1d --reason "only stale shares"',
    ),
    account: banCommand('account', '<account>', 'all rigs of an account', 'k:… --reason "owes us a rig"'),
    address: banCommand(
      ...(['address', '<address>', 'whoever comes from an address, of IPv6 from its /64'] as const),
      '192.0.2.7 --until 2026-12-01T00:00:00Z',
    ),
    rig: banCommand('rig', '<login> <address>', 'one login at one address', 'k:….attic 192.0.2.7'),
  },
};

const unban = defineCommand({
  summary: 'take a ban back',
  words: '<id>',
  settings: CTL_SETTINGS,
  examples: ['ctl bans', 'ctl unban a70578503729'],
  run: async (asked) => (await import('./ctl/orders.js')).unban(asked),
});

const difficulty = defineCommand({
  summary: 'hold a rig at a share difficulty, or let it go',
  about:
    'Holds all sessions of a login at a share difficulty, from their next job on and when they return; it wins over what ' +
    'the rig asks for. off lets it go. Without words: a list of those that are held.',
  words: '[login] [hashes|off]',
  settings: CTL_LIST_SETTINGS,
  examples: ['ctl difficulty k:….attic 4G', 'ctl difficulty k:….attic off', 'ctl difficulty'],
  run: async (asked) => (await import('./ctl/rig-orders.js')).difficulty(asked),
});

const label = defineCommand({
  summary: 'give a rig a label, or take it away',
  about:
    'A label is what you call a rig: it is shown beside the login, and `ctl rigs --q` finds it. At most 64 bytes; an empty text takes it ' +
    'away. Without words: a list of all labels.',
  words: '[login] [text]',
  settings: CTL_LIST_SETTINGS,
  examples: ['ctl label k:….attic "the loud one, shelf 3"', 'ctl label k:….attic ""', 'ctl label'],
  run: async (asked) => (await import('./ctl/rig-orders.js')).label(asked),
});

function addressesCommand(list: 'allow' | 'deny', summary: string, about: string) {
  return defineCommand({
    ...{ summary, about, words: '[address] [off]', settings: CTL_LIST_SETTINGS },
    examples: [`ctl ${list} 203.0.113.0/24`, `ctl ${list} 203.0.113.0/24 off`, `ctl ${list}`],
    run: async (asked) => (await import('./ctl/addresses.js')).listAddresses(list, asked),
  });
}

const allow = addressesCommand(
  'allow',
  'let rigs come from an address or prefix, and from no others',
  'Beside stratum.allow of the settings. While anything is allowed, nobody may come from elsewhere, and who is here from there is closed. ' +
    'off takes it back. Without words: what is allowed and denied by order.',
);

const deny = addressesCommand(
  'deny',
  'keep out whoever comes from an address or prefix',
  'Beside stratum.deny of the settings. Who is here from there is closed. It wins over what is allowed. off takes it back. Without words: ' +
    'what is allowed and denied by order.',
);

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

const reload = defineCommand({
  summary: 'read settings and certificates again',
  about: 'As SIGHUP does. A fault in any of them changes nothing; each is told, and the exit code is 1.',
  settings: CTL_SETTINGS,
  run: async (asked) => (await import('./ctl/orders.js')).reload(asked),
});

function messageCommand(
  to: 'all' | 'account' | 'login' | 'session',
  words: string,
  summary: string,
  example: string,
) {
  return defineCommand({
    summary,
    words,
    settings: CTL_SETTINGS,
    examples: [`ctl message ${to} ${example}`],
    run: async (asked) => (await import('./ctl/message.js')).message(to, asked),
  });
}

const message: Command = {
  summary: 'show a text to rigs that take one',
  about: 'Tells how many took it, of how many that were meant. A text is one line of at most 500 characters.',
  commands: {
    all: messageCommand('all', '<text>', 'to all rigs', '"maintenance at ten, for an hour"'),
    account: messageCommand(
      ...(['account', '<account> <text>', 'to all rigs of an account'] as const),
      'k:… "you are paid today"',
    ),
    login: messageCommand(
      ...(['login', '<login> <text>', 'to the rigs that mine as a login'] as const),
      'k:….attic "your fan is loud"',
    ),
    session: messageCommand(
      ...(['session', '<session> <text>', 'to one session, as `ctl sessions` names it'] as const),
      '7@2026-11-22T15:26:37.123Z "who are you?"',
    ),
  },
};

export const command: Command = {
  summary:
    'see and steer a bridge that runs: rigs, nodes, bans, addresses, difficulties, labels, drain, reload, messages',
  about:
    'Talks to a bridge that runs on this machine, by a socket in its data directory which only the user of the bridge may ' +
    'open; so it needs no token. It is found by --data-dir, or by the file of settings that the bridge has.',
  commands: {
    ...Object.fromEntries(
      ([rigs, sessions, accounts, bans, nodes] as const).map((list) => [list.name, listCommand(list)]),
    ),
    close,
    ban,
    unban,
    allow,
    deny,
    difficulty,
    label,
    drain,
    reload,
    message,
  },
};
