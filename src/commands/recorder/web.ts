/** Health and metrics of a recorder. */

import { SET_ASIDE_PATIENCE_MS } from '../../assembly/books/queue.js';
import { concerning } from '../../assembly/failures.js';
import type { Site } from '../../assembly/site.js';
import { type AccessConfig, WebAccess } from '../../assembly/watch/web-access.js';
import { applyTls, openWebCertificate } from '../../assembly/watch/web-certificate.js';
import { readVersion } from '../../config/version.js';
import type { Ledger } from '../../ledger/ledger.js';
import { countSetAside } from '../../ledger/recording/set-aside.js';
import type { QueueConnection } from '../../queue/bullmq/connection.js';
import { EntryQueue } from '../../queue/bullmq/entry-queue.js';
import type { ShareRecorder } from '../../queue/recording/recorder.js';
import type { ConfigOf } from '../../values/setting.js';
import {
  createRecorderMetrics,
  type RecorderSources,
  recorderLacks,
} from '../../web/metrics/recorder-metrics.js';
import { startRecorderWeb } from '../../web/server.js';
import { LastKnown } from '../../web/state/last-known.js';
import type { RECORDER_SETTINGS } from './settings.js';

const COUNT_TIMEOUT_MS = 2000;
/** It has no data directory. */
const NO_FILES = { admin: async () => '', read: async () => '' };

interface Parts {
  readonly connection: QueueConnection;
  readonly ledger: Ledger;
  readonly recorder: ShareRecorder;
}

type RecorderConfig = ConfigOf<typeof RECORDER_SETTINGS>;

interface RecorderSite extends Pick<Site, 'log' | 'open'> {
  readonly config: RecorderConfig;
}

interface RecorderWeb {
  /** Absent where it is off. */
  readonly url?: string;
  /** Resolves with the settings of the web that are in force now. */
  applyLive(config: RecorderConfig): Promise<readonly string[]>;
}

/** Rejects with CertificateError, and with the system's error when it cannot listen. */
export async function startWeb(site: RecorderSite, parts: Parts): Promise<RecorderWeb> {
  const { config, log, open } = site;
  const address = config['web.listen'];
  if (address === 'off') return { applyLive: async () => [] };
  const access = await WebAccess.open(accessConfig(config), log, NO_FILES);
  const certificate = await openWebCertificate(site);
  const sources = sourcesOf(parts, site);
  const metrics = createRecorderMetrics(sources);
  const server = await concerning('web.listen', () =>
    startRecorderWeb(
      {
        ...{ ...address, metrics, log, certificate },
        access: () => access.rules,
        proxies: config['web.proxies'],
      },
      () => recorderLacks(sources),
    ),
  );
  open.add('web', () => server.close());
  return {
    url: server.url,
    applyLive: async (next) => [
      ...(await access.apply(accessConfig(next))),
      ...(await applyTls({ config: next, log }, certificate)),
    ],
  };
}

/** It shows nothing that is for miners or for pages. */
function accessConfig(config: RecorderConfig): AccessConfig {
  return { ...config, 'web.public': false, 'web.url': '', 'web.origins': [] };
}

function sourcesOf({ connection, ledger, recorder }: Parts, { log, open }: RecorderSite): RecorderSources {
  const queue = new EntryQueue(connection, log, COUNT_TIMEOUT_MS);
  open.add('queue counts', () => queue.close());
  const setAside = new LastKnown(() => countSetAside(ledger.pool), SET_ASIDE_PATIENCE_MS);
  return {
    version: readVersion(),
    queue: new LastKnown(async () => {
      const [{ waiting, failed }, parts] = await Promise.all([queue.counts(), setAside.look()]);
      return { isUp: true, waiting, failed: failed + (parts.value ?? 0) };
    }),
    ledger: new LastKnown(() => ledger.totals()),
    entries: () => recorder.counts,
  };
}
