/** The rigs' side, from the settings. */

import { portsOf } from '../../config/ports.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { KeptRigs } from '../../stratum/resume/former.js';
import { createStratumServer, type StratumServer, type StratumServerOptions } from '../../stratum/server.js';
import type { Listeners } from '../../web/state/listeners.js';
import type { Site } from '../site.js';
import { openCertificate } from './certificate.js';
import type { FormerStart } from './former-rigs.js';
import { type Key, LiveSettings } from './live-settings.js';
import type { Mining } from './mining.js';
import { openFilesLimit, tellOfFiles } from './open-files.js';
import { rigSettingsFrom } from './rig-settings.js';

/** Of a stop at least: rigs hear of it, and what they may come back to is kept. */
const CLOSE_MS = 500;

/** What sessions get jobs by, and what an operator has ordered. */
export type RigParts = Pick<
  StratumServerOptions,
  'jobs' | 'sessionCounts' | 'handsOut' | 'whyReleased' | 'kept' | 'keeper' | 'sharing' | 'others'
> & {
  /** Of the last start. */
  readonly former?: FormerStart | undefined;
  /** For the next start, once nothing is judged any more. */
  keepRigs?(rigs: KeptRigs): Promise<void>;
};

export interface Rigs {
  /** It can be looked at before it listens. */
  readonly server: StratumServer;
  /** None until it listens. */
  listeners(): Listeners;
  /** Whether its ports can be had, which a primary has looked at before. Rejects with StratumListenError. */
  check(): Promise<void>;
  /** Opens the ports, once there is work. Rejects with StratumListenError. */
  listen(): Promise<void>;
  /** Resolves with the settings that were another before and are in force now. */
  applyLive(config: BridgeConfig): Promise<readonly Key[]>;
}

/** @param files that this process may open. */
export async function makeRigs(
  site: Site,
  { nonces, ...mining }: Mining,
  { keepRigs, ...parts }: RigParts,
  files = openFilesLimit(),
): Promise<Rigs> {
  const { config, log, open, events } = site;
  tellOfFiles(config, files, log);
  const certificate = await openCertificate(site);
  const server = createStratumServer({
    ...{ ...mining, nonceSpace: nonces, events, log, certificate, ...parts },
    ...{ ...rigSettingsFrom(config, files), origins: config['stratum.origins'], listen: site.machine.listen },
    listeners: portsOf(config).map(({ listen: address, name, transport }) => {
      return { name, transport, address };
    }),
  });
  const live = new LiveSettings(site, { server, certificate, files });
  let areOpen = false;
  return {
    server,
    listeners: () => ({
      areOpen,
      ports: server.ports.map(({ address: { host, port }, ...listener }) => ({ ...listener, host, port })),
    }),
    check: site.machine.isOneOfSeveral ? async () => {} : () => server.check(),
    listen: async () => {
      await server.listen();
      areOpen = true;
      const close = async (withinMs: number): Promise<void> => {
        areOpen = false;
        await server.close(withinMs);
        await keepRigs?.(server.kept);
      };
      open.add('rigs', close, CLOSE_MS);
      await parts.former?.used();
    },
    applyLive: (changed) => live.apply(changed),
  };
}
