/** Settings of the rigs' side that take effect while rigs are connected. What each does then is said at `RigSettings`. */

import { changedSettings } from '../../config/layers/changed.js';
import { type MovedPort, movedPorts } from '../../config/ports.js';
import { BRIDGE_SETTINGS, type BridgeConfig } from '../../config/settings.js';
import type { StratumServer } from '../../stratum/server.js';
import type { Certificate } from '../../tls/certificate.js';
import type { Site } from '../site.js';
import { certificateFiles, readAgain } from './certificate.js';
import { tellOfFiles } from './open-files.js';
import { rigSettingsFrom } from './rig-settings.js';

export type Key = keyof BridgeConfig;

const isOfRigs = (key: Key): boolean => key.startsWith('stratum.') && BRIDGE_SETTINGS[key].live === true;
const isOfCertificate = (key: Key): boolean => key.startsWith('stratum.tls.');

interface LiveParts {
  readonly server: Pick<StratumServer, 'changeRules'>;
  /** Absent where the bridge was started without TLS: that takes a new start. */
  readonly certificate: Pick<Certificate, 'read'> | undefined;
  /** That this process may open. */
  readonly files: number;
}

export class LiveSettings {
  readonly #log: Site['log'];
  readonly #parts: LiveParts;
  #inForce: BridgeConfig;

  constructor({ config, log }: Pick<Site, 'config' | 'log'>, parts: LiveParts) {
    this.#log = log;
    this.#parts = parts;
    this.#inForce = config;
  }

  /** Resolves with those that were another before and are in force now. Never rejects for what stands in them. */
  async apply(config: BridgeConfig): Promise<readonly Key[]> {
    const changed = changedSettings(this.#inForce, config).filter(isOfRigs);
    const { server, files } = this.#parts;
    const rules = changed.filter((key) => !isOfCertificate(key));
    if (rules.length > 0) server.changeRules(rigSettingsFrom(config, files));
    if (rules.includes('stratum.limits.profile') || rules.includes('stratum.limits.connections'))
      tellOfFiles(config, files, this.#log);
    const ofCertificate = changed.filter(isOfCertificate);
    // Also where its settings are as before: the files may hold another pair.
    const isRead = await readAgain(
      this.#parts.certificate,
      () => certificateFiles('stratum', config, this.#log),
      this.#log,
    );
    const moved = changed.includes('stratum.ports') ? this.#tellOfMoved(config) : [];
    const live = rules.filter((key) => key !== 'stratum.ports' || moved.length === 0);
    const taken = [...live, ...(isRead ? ofCertificate : [])];
    const values = Object.fromEntries(taken.map((key) => [key, config[key]]));
    this.#inForce = { ...this.#inForce, ...values };
    return taken;
  }

  /** Ports that wait for a restart. Rules of those that stay are in force at once. */
  #tellOfMoved(config: BridgeConfig): readonly MovedPort[] {
    const moved = movedPorts(this.#inForce, config);
    for (const { name: port, why } of moved)
      this.#log.warn({ event: 'reload', port }, `port ${port} requires a restart: ${why}`);
    return moved;
  }
}
