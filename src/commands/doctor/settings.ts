/** The settings of a bridge that runs here, asked over its control socket: beside it nobody should have to say them again. */
import type { Finding } from '../../assembly/finding.js';
import { type Asked, CommandError } from '../../cli/line/command.js';
import { type Loaded, loadConfig } from '../../config/layers/load.js';
import { BRIDGE_SETTINGS, type BridgeConfig, type BridgeSettings } from '../../config/settings.js';
import { settings } from '../../operations/settings.js';
import { withDefaults } from '../../values/setting.js';
import { askBridge } from '../ctl/bridge.js';

interface InForce {
  /** Where flags, variables and file say nothing, what the bridge has. */
  readonly loaded: Loaded<BridgeSettings>;
  /** What a bridge tells nobody, and is set there: not what is looked at here. */
  readonly hidden: readonly (keyof BridgeConfig)[];
  readonly finding: Finding;
}

/** @param loaded what was said to this command. */
export async function settingsOfRunning(
  { flags, io }: Pick<Asked<BridgeSettings>, 'flags' | 'io'>,
  loaded: Loaded<BridgeSettings>,
): Promise<InForce> {
  try {
    const told = await askBridge(loaded.config.dataDir, async (ask) => {
      return (await ask(settings.output, 'GET', settings.path)).read;
    });
    const own = told.settings.flatMap(({ key, value }) => (isOwn(key) ? [{ key, value }] : []));
    const hidden = own.filter(({ key, value }) => isHidden(key, value)).map(({ key }) => key);
    const shown = own.filter(({ key }) => !hidden.includes(key)).map(({ key, value }) => [key, value]);
    const { dataDir } = loaded.config;
    const inForce = withDefaults(BRIDGE_SETTINGS, { ...Object.fromEntries(shown), dataDir });
    const unsaid = hidden.filter((key) => loaded.sources[key] === 'default');
    const but =
      unsaid.length === 0 ? '' : `, but for its secrets (${unsaid.join(', ')}): --config FILE has them`;
    return {
      loaded: loadConfig(inForce, { flags, env: io.env }),
      hidden: unsaid,
      finding: { state: 'good', what: 'settings', detail: `those of the bridge that runs here${but}` },
    };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const detail = `the bridge that runs here does not tell its own: ${error.message}`;
    return { loaded, hidden: [], finding: { state: 'warning', what: 'settings', detail } };
  }
}

function isOwn(key: string): key is keyof BridgeConfig {
  return Object.hasOwn(BRIDGE_SETTINGS, key);
}

/** A part of it was put out of sight. */
function isHidden(key: keyof BridgeConfig, value: unknown): boolean {
  return 'secret' in BRIDGE_SETTINGS[key] && JSON.stringify(value).includes('***');
}
