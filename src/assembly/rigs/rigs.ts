/** The rigs' side, from the settings. */
import { portsOf } from '../../config/ports.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { OpenPort } from '../../stratum/door/ports.js';
import { createStratumServer, type StratumServer, type StratumServerOptions } from '../../stratum/server.js';
import type { KeptRigs } from '../../stratum/tenure/former.js';
import type { Door, Doors } from '../../web/state/doors.js';
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
    listeners: portsOf(config).map(({ name, transport, listen }) => ({ name, transport, address: listen })),
    certificate,
    origins: config['stratum.origins'],
  });
  const live = new LiveSettings(site, { server, certificate, files });
  let areOpen = false;
  return {
    server,
    doors: () => ({ areOpen, ports: server.ports.map(doorOf) }),
    listen: async () => {
      await server.listen();
      areOpen = true;
      open.add('rigs', async () => {
        areOpen = false;
        await server.close();
        await keepRigs?.(server.kept);
      });
      await parts.former?.used();
    },
    applyLive: (changed) => live.apply(changed),
  };
}

function doorOf({ name, transport, address: { host, port }, tls, sessions }: OpenPort): Door {
  return { name, transport, host, port, tls, sessions };
}
