/** Health, metrics and API over HTTP, from the settings. */

import { join } from 'node:path';
import type { SettingsWatch } from '../../bridge/watch/settings-watch.js';
import { warningsOf } from '../../config/checks.js';
import type { BridgeConfig } from '../../config/settings.js';
import { Links } from '../../web/access/links.js';
import { controlSocketIn } from '../../web/control-socket.js';
import { createMetrics } from '../../web/metrics/metrics.js';
import {
  type ControlPlace,
  startControlServer,
  startWebServer,
  WEB_LIMITS,
  type WebOptions,
} from '../../web/server.js';
import { whatIsMissing } from '../../web/state/readiness.js';
import type { SummarySources } from '../../web/state/summary.js';
import { concerning } from '../failures.js';
import { partOf } from '../rigs/limits.js';
import type { Key } from '../rigs/live-settings.js';
import type { MachineDrain } from '../rigs/machine-drain.js';
import { adminTokenIn, readTokenIn, sessionKeyIn } from '../secret-files.js';
import type { Site } from '../site.js';
import { machineWatch, metricsOf } from './machine-watch.js';
import { WebAccess } from './web-access.js';
import { applyTls, openWebCertificate } from './web-certificate.js';
import type { Link } from './web-link.js';

/** Requests come to its processes in turn. */
const OF_MACHINE = ['connections', 'connectionsOfAddress', 'requestsPerSecond', 'requestBurst'] as const;

type Ordered = 'makeBlocks' | 'operator' | 'payouts' | 'setAside' | 'signers';

/** What may be ordered over HTTP. */
interface Orders extends Pick<WebOptions, Ordered> {
  /** Without it no settings are shown or read again. */
  readonly settings: SettingsWatch | undefined;
  readonly drain: Pick<MachineDrain, 'report'>;
}

export interface Web {
  /** Absent where it is off. */
  readonly url?: string;
  /** Absent where it is off. */
  readonly makeLink?: (() => Link | undefined) | undefined;
  /** Resolves with the settings of the web that are in force now. */
  applyLive(config: BridgeConfig): Promise<readonly Key[]>;
}

/** Rejects with CertificateError, or CommandError where no admin token can be had. */
export async function startWeb(site: Site, sources: SummarySources, orders: Orders): Promise<Web> {
  const { config, log, open, events, machine } = site;
  const address = config['web.listen'];
  const parts = {
    ...{ ...orders, sources, log, control: controlOf(site) },
    metrics: metricsOf(machine, sources.instance, createMetrics(events, sources)),
    machine: machineWatch(machine, orders.drain, () => whatIsMissing(sources)),
  };
  if (address === 'off') {
    const control = await startControlServer(parts);
    open.add('ctl socket', () => control.close());
    return { applyLive: async () => [] };
  }
  const access = await WebAccess.open(config, log, {
    admin: () => adminTokenIn(config.dataDir, log),
    read: () => readTokenIn(config.dataDir, log),
  });
  const sessionKey = await sessionKeyIn(config.dataDir, log);
  const certificate = await openWebCertificate(site);
  const web = await concerning('web.listen', () =>
    startWebServer({
      listen: joinOf(machine),
      ...{ ...address, ...parts, certificate, sessionKey, limits: partOf(WEB_LIMITS, OF_MACHINE, config) },
      links: new Links(join(config.dataDir, 'links')),
      access: () => access.rules,
      readTokens: () => access.readTokens(),
      proxies: config['web.proxies'],
    }),
  );
  open.add('web', () => web.close());
  for (const warning of warningsOf(config)) log.warn({ event: 'web-plain' }, warning);
  return {
    url: web.url,
    makeLink: web.makeLink,
    applyLive: async (next) => [
      ...(await access.apply(next)),
      ...(await applyTls({ config: next, log }, certificate)),
    ],
  };
}

/** A port that all bridges of this machine share. */
function joinOf({ listen }: Site['machine']): WebOptions['listen'] {
  return listen && ((address, onSocket) => listen('web', address, onSocket));
}

/** Without it the bridge does all else. */
function controlOf({ folder, log }: Pick<Site, 'folder' | 'log'>): ControlPlace {
  return {
    path: controlSocketIn(folder),
    failed: (why) =>
      log.warn({ event: 'no-ctl' }, `\`stratum-bridge ctl\` does not reach this bridge: ${why}`),
  };
}
