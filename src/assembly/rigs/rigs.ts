/** The rigs' side, from the settings. */
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { ListenAddress } from '../../core/listening.js';
import { createStratumServer, type StratumServer, type StratumServerOptions } from '../../stratum/server.js';
import type { KeptRigs } from '../../stratum/tenure/former.js';
import type { Doors } from '../../web/state/doors.js';
import type { Site } from '../site.js';
import { openCertificate } from './certificate.js';
import type { FormerStart } from './former-rigs.js';
import { type Key, LiveSettings } from './live-settings.js';
import type { Mining } from './mining.js';
import { openFilesLimit, tellOfFiles } from './open-files.js';
import { rigSettingsFrom } from './rig-settings.js';

/** What sessions get jobs by, and what an operator has ordered. */
export type RigParts = Pick<StratumServerOptions, 'jobs' | 'crowds' | 'handsOut' | 'kept' | 'keeper'> & {
  /** Of the last start. */
  readonly former?: FormerStart | undefined;
  /** For the next start, once nothing is judged any more. */
  keepRigs?(rigs: KeptRigs): Promise<void>;
};

export interface Rigs {
  /** It can be looked at before it listens. */
  readonly server: StratumServer;
  /** None until it listens. */
  doors(): Doors;
  /** Opens the ports. Rejects with StratumListenError. */
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
    ...mining,
    nonceSpace: nonces,
    ...parts,
    ...rigSettingsFrom(config, files),
    events,
    log,
    tcp: listening(config['stratum.tcp']),
    ws: listening(config['stratum.ws']),
    certificate,
    balancers: config['stratum.balancers'],
    origins: config['stratum.origins'],
  });
  const live = new LiveSettings(site, { server, certificate, files });
  return {
    server,
    doors: () => doorsOf(server, certificate !== undefined),
    listen: async () => {
      await server.listen();
      open.add('rigs', async () => {
        await server.close();
        await keepRigs?.(server.kept);
      });
      await parts.former?.used();
    },
    applyLive: (changed) => live.apply(changed),
  };
}

function doorsOf({ addresses }: StratumServer, tls: boolean): Doors {
  return Object.fromEntries(
    Object.entries(addresses).map(([transport, { host, port }]) => [transport, { host, port, tls }]),
  );
}

function listening(address: ListenAddress | 'off'): ListenAddress | undefined {
  return address === 'off' ? undefined : address;
}
