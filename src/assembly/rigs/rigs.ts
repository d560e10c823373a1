/** The rigs' side, from the settings. */
import type { Steering } from '../../bridge/orders/steering.js';
import type { RigWatch } from '../../bridge/watch/rig-watch.js';
import type { OwnSocket } from '../../cli/service/succession.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { ShareQueue } from '../../queue/share-queue.js';
import type { OpenPort } from '../../stratum/door/ports.js';
import { createStratumServer, type StratumServer, type StratumServerOptions } from '../../stratum/server.js';
import type { KeptRigs } from '../../stratum/tenure/former.js';
import type { Door, Doors } from '../../web/state/doors.js';
import type { ProcessReport } from '../../web/state/processes.js';
import type { Site } from '../site.js';
import { openCertificate } from './certificate.js';
import type { FormerStart } from './former-rigs.js';
import { portsWith, socketsOf } from './kept-sockets.js';
import { type Key, LiveSettings } from './live-settings.js';
import type { Mining } from './mining.js';
import { openFilesLimit, tellOfFiles } from './open-files.js';
import { rigSettingsFrom } from './rig-settings.js';

/** Of a stop at least: rigs hear of it, and what they may come back to is kept. */
const CLOSE_MS = 500;

/** What sessions get jobs by, and what an operator has ordered. */
export type RigParts = Pick<
  StratumServerOptions,
  'jobs' | 'crowds' | 'handsOut' | 'kept' | 'keeper' | 'givesAway' | 'fleet'
> & {
  /** Of the last start. */
  readonly former?: FormerStart | undefined;
  /** For the next start, once nothing is judged any more. */
  keepRigs?(rigs: KeptRigs): Promise<void>;
  /** False in the hub of many processes: rigs come in at its fronts. */
  readonly listens?: boolean;
};

export interface Rigs {
  /** It can be looked at before it listens. */
  readonly server: StratumServer;
  /** Of rigs in whatever process, as are orders. */
  readonly watch: RigWatch;
  readonly steering: Steering;
  /** Those that are open, in whatever process. */
  readonly ports: readonly OpenPort[];
  /** Other processes that have sessions. */
  fronts(): readonly ProcessReport[];
  /** None until it listens. */
  doors(): Doors;
  /** In the share logs of other processes. */
  readonly held?: () => ShareQueue['held'];
  /** Opens the ports. Rejects with StratumListenError. */
  listen(): Promise<void>;
  /** Those that are open, for the bridge that takes the place of this one. */
  sockets(): readonly OwnSocket[];
  /** What goes on without this bridge until the next one takes it over. */
  letGo(): Promise<void>;
  /** Resolves with the settings that were another before and are in force now. */
  applyLive(config: BridgeConfig): Promise<readonly Key[]>;
}

/** @param files that this process may open. */
export async function makeRigs(
  site: Site,
  { nonces, ...mining }: Mining,
  { keepRigs, listens = true, ...parts }: RigParts,
  files = openFilesLimit(),
): Promise<Rigs> {
  const { config, log, open, events } = site;
  tellOfFiles(config, files, log);
  const certificate = await openCertificate(site);
  const server = createStratumServer({
    ...{ ...mining, nonceSpace: nonces, events, log, certificate, ...parts },
    ...{ ...rigSettingsFrom(config, files), origins: config['stratum.origins'] },
    listeners: listens ? listenersFrom(site) : [],
  });
  const live = new LiveSettings(site, { server, certificate, files, isOfFleet: parts.fleet !== undefined });
  let areOpen = false;
  return {
    server,
    ...{ watch: server.watch, steering: server.steering },
    get ports() {
      return server.ports;
    },
    fronts: () => [],
    doors: () => ({ areOpen, ports: server.ports.map(doorOf) }),
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
    sockets: () => socketsOf(config, server.sockets),
    letGo: async () => undefined,
    applyLive: (changed) => live.apply(changed),
  };
}

function listenersFrom({ config, kept }: Site): StratumServerOptions['listeners'] {
  return portsWith(config, kept).map(({ name, transport, listen }) => ({ name, transport, address: listen }));
}

export function doorOf({ name, transport, address: { host, port }, tls, sessions }: OpenPort): Door {
  return { name, transport, host, port, tls, sessions };
}
