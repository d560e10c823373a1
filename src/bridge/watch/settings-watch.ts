/** The settings of a bridge that runs, as they are shown, and the order to read them again; implemented by assembly, shown by the web. */
import type { ReloadLook, SettingView } from '../../operations/settings.js';

/** Source of a value that a command has of itself where nobody says anything, as the demo has some: no default of a bridge. */
export const OF_COMMAND = 'chosen by the command';

/** What came of reading them again. */
interface ReloadReport {
  /** Keys of settings that are in force now, and were another before. */
  readonly tookEffect: readonly string[];
  /** Keys of settings that wait for a restart, those of former readings included. */
  readonly wantsRestart: readonly string[];
  /** Ports of `stratum.ports` that make it wait, each with the reason. */
  readonly ports: readonly { readonly name: string; readonly why: string }[];
  /** Why all settings stay as they are: a sentence for each fault, without secrets. */
  readonly refused: readonly string[];
}

export interface SettingsWatch {
  /** In the order of their tables. Secrets are put out of sight. */
  settings(): SettingView[];
  /** Reads and checks them as a reload does, and changes nothing. */
  look(): Promise<ReloadLook>;
  /** As SIGHUP does; `by` names who orders it, for the timeline. */
  reload(by: string): Promise<ReloadReport>;
}
