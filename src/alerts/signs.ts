/** What only this process can tell of itself, for alerts and metrics. */

import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { BridgeEvents, NodeReport } from '../bridge/events.js';
import type { Clock } from '../bridge/ports.js';

export const CERTIFICATES = ['rigs', 'web'] as const;
type CertificateOf = (typeof CERTIFICATES)[number];

/** The settings that say where to look, as they are named there. */
interface SignSettings {
  readonly dataDir: string;
  readonly 'stratum.tls.certificate': string;
  readonly 'stratum.tls.selfSigned': boolean;
  readonly 'web.tls.certificate': string;
}

interface SignsOptions {
  readonly events: BridgeEvents;
  readonly settings: SignSettings;
  readonly nodes: () => readonly NodeReport[];
  readonly clock: Clock;
}

export type Signs = Awaited<ReturnType<ReturnType<typeof watchSigns>>>;

/** Starts counting now. What it gives never rejects. */
export function watchSigns({ events, settings, nodes, clock }: SignsOptions) {
  let freshAtMs = clock.nowMs();
  events.on('job', ({ clean }) => {
    if (clean) freshAtMs = clock.nowMs();
  });
  return async () => {
    const [diskFreeBytes, certificates] = await Promise.all([freeBytes(settings.dataDir), endsOf(settings)]);
    return {
      /** Since the newest fresh job, or since the start. */
      jobAgeMs: clock.nowMs() - freshAtMs,
      /** Of the file system that has the data directory. */
      diskFreeBytes,
      certificates,
      /** Nodes say different things in headers of the same place. */
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

async function endsOf(config: SignSettings) {
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
