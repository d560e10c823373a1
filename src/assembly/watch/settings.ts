/** The settings of a bridge that runs, as the web shows them. */
import { isDeepStrictEqual } from 'node:util';
import { OF_COMMAND, type SettingsWatch } from '../../bridge/watch/settings-watch.js';
import type { Look, ServiceSettings } from '../../cli/service/reload.js';
import { changedSettings } from '../../config/layers/changed.js';
import type { Loaded } from '../../config/layers/load.js';
import { withoutSecrets } from '../../config/layers/secrets.js';
import { type MovedPort, movedPorts } from '../../config/ports.js';
import { BRIDGE_SETTINGS, type BridgeConfig, type BridgeSettings } from '../../config/settings.js';
import { effectiveValue } from '../../config/show/show.js';
import { rulesToRow } from '../../ledger/rules/rule-table.js';
import type { RulesInForce } from '../../ledger/rules/rules.js';
import type { ReloadLook, SettingView } from '../../operations/settings.js';
import { asInFile } from '../../values/as-in-file.js';
import type { Setting } from '../../values/setting.js';

const TABLE: Readonly<Record<string, Setting>> = BRIDGE_SETTINGS;

export function watchSettings(settings: ServiceSettings<Loaded<BridgeSettings>>): SettingsWatch {
  return {
    settings: () => Object.entries(TABLE).map(([key, setting]) => reportOf(key, setting, settings)),
    look: async () => lookOf(await settings.look()),
    reload: async (by) => ({ ...(await settings.ask(by)), ports: waitingPorts(settings) }),
  };
}

/** For a command that chooses some by itself where nobody has said anything. */
export function withChosen(watch: SettingsWatch, before: BridgeConfig, chosen: BridgeConfig): SettingsWatch {
  const keys: readonly string[] = changedSettings(before, chosen);
  const values = chosen as Readonly<Record<string, unknown>>;
  const shown = (view: SettingView): SettingView => {
    const setting = TABLE[view.key];
    if (!setting || !keys.includes(view.key)) return view;
    const value = withoutSecrets(setting, asInFile(setting, values[view.key]));
    return { ...view, value, source: OF_COMMAND };
  };
  return { ...watch, settings: () => watch.settings().map(shown) };
}

/** With what holds in place of some of them, once that is known. */
export function withRules(watch: SettingsWatch, inForce: () => RulesInForce | undefined): SettingsWatch {
  return {
    ...watch,
    settings: () => {
      const rules = inForce();
      return rules ? underRules(watch.settings(), rules) : watch.settings();
    },
  };
}

function underRules(views: SettingView[], { fees, version, ...rules }: RulesInForce): SettingView[] {
  const row = rulesToRow({ ...rules, feeBasisPoints: fees.basisPoints });
  return views.map((view) => {
    const setting = TABLE[view.key];
    if (!setting || !Object.hasOwn(row, view.key)) return view;
    const read = (value: unknown) => setting.type(setting.default).parse(value);
    const rule = row[view.key];
    const isSame = isDeepStrictEqual(read(rule), read(view.value));
    const held = isSame ? {} : { value: rule, source: `rules of the ledger, version ${version}` };
    return { ...view, ...held, isRule: true, waiting: null };
  });
}

function waitingPorts(settings: ServiceSettings<Loaded<BridgeSettings>>): readonly MovedPort[] {
  const waiting = settings.waiting('stratum.ports');
  return waiting ? movedPorts(settings.inForce('stratum.ports').config, waiting.config) : [];
}

function lookOf({ next, changed, refused }: Look<Loaded<BridgeSettings>>): ReloadLook {
  const changes = changed.flatMap((key) => {
    const setting = TABLE[key];
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
  const { value, source } = effectiveValue(key, setting, settings.inForce(key));
  const isOfCommand = source === 'default' && !isDeepStrictEqual(value, setting.default);
  return {
    ...{ key, value, source: isOfCommand ? OF_COMMAND : source },
    default: setting.default,
    help: setting.help,
    isLive: setting.live === true,
    isRule: false,
    waiting: waiting ? effectiveValue(key, setting, waiting) : null,
  };
}
