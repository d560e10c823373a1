/** What only this process can tell of itself, for alerts and metrics. */

import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { BridgeEvents, NodeReport } from '../../bridge/events.js';
import type { Clock } from '../../bridge/ports.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { CertificateOf, Signs } from '../../web/alerts/snapshot.js';

type CertificateConfig = Pick<
  BridgeConfig,
  'stratum.tls.certificate' | 'stratum.tls.selfSigned' | 'web.tls.certificate' | 'dataDir'
>;

export interface SignsOptions {
  readonly events: BridgeEvents;
  /** In force now. */
  readonly config: () => CertificateConfig;
  readonly nodes: () => readonly NodeReport[];
  readonly clock: Clock;
}

/** Starts counting now. What it gives never rejects. */
export function watchSigns({ events, config, nodes, clock }: SignsOptions): () => Promise<Signs> {
  let freshAtMs = clock.nowMs();
  events.on('job', ({ clean }) => {
    if (clean) freshAtMs = clock.nowMs();
  });
  return async () => {
    const [diskFreeBytes, certificates] = await Promise.all([freeBytes(config().dataDir), endsOf(config())]);
    return {
      jobAgeMs: clock.nowMs() - freshAtMs,
      diskFreeBytes,
      certificates,
      forkVotesDiffer: differ(nodes()),
    };
  };
}

/** A node that gives no work may be one of the past. */
function differ(nodes: readonly NodeReport[]): boolean | undefined {
  const forks = nodes.flatMap(({ state, forks }) => (state === 'healthy' && forks ? [forks] : []));
  if (forks.some(({ isPassed, isNear, isFor }) => isPassed || (isNear && isFor === false))) return true;
  if (new Set(forks.flatMap(({ isFor }) => isFor ?? [])).size > 1) return true;
  const agree = forks.flatMap(({ agrees }) => agrees ?? []);
  return agree.length === 0 ? undefined : agree.includes(false);
}

/** As far as this user may use it. */
async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined; // the bridge says so itself where it matters
  }
}

async function endsOf(config: CertificateConfig): Promise<Signs['certificates']> {
  const selfSigned = config['stratum.tls.selfSigned'] ? join(config.dataDir, 'tls', 'certificate.pem') : '';
  const files: readonly (readonly [CertificateOf, string])[] = [
    ['rigs', config['stratum.tls.certificate'] || selfSigned],
    ['web', config['web.tls.certificate']],
  ];
  const found = await Promise.all(
    files.map(async ([of, file]) => {
      const endsAtMs = file === '' ? undefined : await endOf(file);
      return endsAtMs === undefined ? [] : [{ of, endsInMs: endsAtMs - Date.now() }];
    }),
  );
  return found.flat();
}

/** Of the first certificate in it, which is the one of the server. */
async function endOf(file: string): Promise<number | undefined> {
  try {
    return Date.parse(new X509Certificate(await readFile(file)).validTo);
  } catch {
    return undefined; // who serves it says what is wrong with it
  }
}
