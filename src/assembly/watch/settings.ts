/** The settings of a bridge that runs, as the web shows them. */
import type { SettingsWatch } from '../../bridge/watch/settings-watch.js';
import type { Look, ServiceSettings } from '../../cli/service/reload.js';
import type { Loaded } from '../../config/layers/load.js';
import { type MovedPort, movedPorts } from '../../config/ports.js';
import { BRIDGE_SETTINGS, type BridgeSettings } from '../../config/settings.js';
import { effectiveValue } from '../../config/show/show.js';
import type { ReloadLook, SettingView } from '../../operations/settings.js';
import type { Setting } from '../../values/setting.js';

export function watchSettings(settings: ServiceSettings<Loaded<BridgeSettings>>): SettingsWatch {
  return {
    settings: () =>
      Object.entries<Setting>(BRIDGE_SETTINGS).map(([key, setting]) => reportOf(key, setting, settings)),
    look: async () => lookOf(await settings.look()),
    reload: async (by) => ({ ...(await settings.ask(by)), ports: waitingPorts(settings) }),
  };
}

function waitingPorts(settings: ServiceSettings<Loaded<BridgeSettings>>): readonly MovedPort[] {
  const waiting = settings.waiting('stratum.ports');
  return waiting ? movedPorts(settings.inForce('stratum.ports').config, waiting.config) : [];
}

function lookOf({ next, changed, refused }: Look<Loaded<BridgeSettings>>): ReloadLook {
  const settings: Readonly<Record<string, Setting>> = BRIDGE_SETTINGS;
  const changes = changed.flatMap((key) => {
    const setting = settings[key];
    if (!next || !setting) return [];
    return [{ key, ...effectiveValue(key, setting, next), isLive: setting.live === true }];
  });
  return { changes, refused: [...refused] };
}

function reportOf(
  key: string,
  setting: Setting,
  settings: ServiceSettings<Loaded<BridgeSettings>>,
): SettingView {
  const waiting = settings.waiting(key);
  return {
    key,
    ...effectiveValue(key, setting, settings.inForce(key)),
    isLive: setting.live === true,
    waiting: waiting ? effectiveValue(key, setting, waiting) : null,
  };
}
