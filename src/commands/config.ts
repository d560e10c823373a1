/** `stratum-bridge config`: what the settings are, and why. */
import { BRIDGE_SETTINGS } from '../config/settings.js';
import { defaultsAsYaml, effectiveAsJson, showEffective } from '../config/show.js';
import { type Command, helpText, loadBridgeConfig, OK } from './command.js';

const DEFAULTS_FLAG = '--defaults';

export const command: Command = {
  summary: 'show the effective settings and where each comes from',
  help: () =>
    helpText({
      usage: 'config [--defaults] [settings]',
      about:
        'Prints every setting with its value and source (flag, variable, file or default), passwords hidden;\n' +
        'as JSON when piped. With --defaults: a commented YAML file of all defaults.\n' +
        'Flags win over environment over file over default.',
      settings: BRIDGE_SETTINGS,
      withKeys: true,
      examples: ['config --config bridge.yaml', 'config --defaults > bridge.yaml'],
    }),
  async run(argv, io) {
    if (argv.includes(DEFAULTS_FLAG)) {
      loadBridgeConfig(
        argv.filter((word) => word !== DEFAULTS_FLAG),
        io,
      );
      io.stdout.write(defaultsAsYaml(BRIDGE_SETTINGS));
      return OK;
    }
    const loaded = loadBridgeConfig(argv, io);
    const shown = io.stdout.isTTY
      ? showEffective(BRIDGE_SETTINGS, loaded)
      : JSON.stringify(effectiveAsJson(BRIDGE_SETTINGS, loaded), null, 2);
    io.stdout.write(`${shown}\n`);
    return OK;
  },
};
