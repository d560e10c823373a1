/** `stratum-bridge config`: what the settings are, and why. */

import { defineCommand } from '../cli/line/command.js';
import { CHECKED_SETTINGS, CONFIG_SETTINGS } from './config/settings.js';

const check = defineCommand({
  summary: 'check a file of settings: each value, and what must agree between them',
  about:
    'Reads the file, or what --config, variables and flags give, and prints all that is wrong with it. ' +
    'Exit code 0 only if nothing is. Opens no port, node or database: `stratum-bridge doctor` tries those.',
  words: '[file]',
  settings: CHECKED_SETTINGS,
  examples: ['config check bridge.yaml'],
  run: async (asked) => (await import('./config/check.js')).check(asked),
});

export const command = defineCommand({
  summary: 'show the effective settings and where each comes from',
  about:
    'Prints every setting with its value and source (flag, variable, file or default), passwords hidden; ' +
    'as JSON when piped. With --defaults: a YAML file of all defaults, each with its help. With --minimal: one of ' +
    'what differs from them, without secrets. ' +
    'Flags win over environment over file over default.',
  settings: CONFIG_SETTINGS,
  commands: { check },
  examples: ['config --config bridge.yaml', 'config --defaults > bridge.yaml', 'config check bridge.yaml'],
  run: async (asked) => (await import('./config/run.js')).run(asked),
});
