/** The settings of a bridge that runs, as they are shown, and the order to read them again; implemented by assembly, shown by the web. */

export interface SettingReport {
  readonly key: string;
  /** In force, as it was written: text, a number, true or false, a list or a map. Secrets are put out of sight. */
  readonly value: unknown;
  /** `default`, `file x.yaml`, `variable STRATUM_BRIDGE_…`, `flag --…`. */
  readonly source: string;
  /** It may change while the bridge runs. */
  readonly isLive: boolean;
  /** Read since, and in force from the next start on. */
  readonly waiting?: { readonly value: unknown; readonly source: string };
}

/** What came of reading them again. */
export interface ReloadReport {
  /** Keys of settings that are in force now, and were another before. */
  readonly tookEffect: readonly string[];
  /** Keys of settings that wait for a restart, those of former readings included. */
  readonly wantsRestart: readonly string[];
  /** Ports of `stratum.ports` that make it wait, each with the reason. */
  readonly ports: readonly { readonly name: string; readonly why: string }[];
  /** Why all settings stay as they are: a sentence for each fault, without secrets. */
  readonly refused: readonly string[];
}

/** What a reload would do now. */
export interface ReloadLook {
  /** Settings that are another in what was read than in force; secrets are put out of sight, also where they differ. */
  readonly changes: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly source: string;
    /** It would be in force at once; otherwise from the next start on. */
    readonly isLive: boolean;
  }[];
  /** Why it would be refused: a sentence for each fault, without secrets. */
  readonly refused: readonly string[];
}

export interface SettingsWatch {
  /** Every setting of a bridge, in the order of its tables. */
  settings(): readonly SettingReport[];
  /** Reads and checks them as a reload does, and changes nothing. */
  look(): Promise<ReloadLook>;
  /** As SIGHUP does; `by` names who orders it, for the timeline. */
  reload(by: string): Promise<ReloadReport>;
}
