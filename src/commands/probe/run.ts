import { type Asked, FAILED, OK } from '../../cli/line/command.js';
import { refuseTwoForms } from '../../cli/screen/form.js';
import { print } from '../../cli/screen/print.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { readVersion } from '../../config/version.js';
import type { Columns } from '../../operations/entry/columns.js';
import { type Progress, probe, type ServerReport } from '../../probe/probe.js';
import { PoolUrlError, parsePoolUrl } from '../../rig/wire.js';
import { generateMinerKeys } from '../keygen/keys.js';
import type { PROBE_SETTINGS } from './settings.js';

export async function run(asked: Asked<typeof PROBE_SETTINGS>): Promise<number> {
  const { words, io } = asked;
  const { config } = await asked.load();
  refuseTwoForms(config);
  const urls = urlsOf(words);
  const over = new AbortController();
  const interrupted = (): void => over.abort();
  process.once('SIGINT', interrupted);
  const seconds = Math.round(config.for / 1000);
  const say = ({ elapsedMs, ready, jobs }: Progress): void => {
    const so = `${ready} of ${urls.length} servers give work, ${jobs} jobs so far`;
    io.stderr.write(`stratum-bridge: ${Math.round(elapsedMs / 1000)} s of ${seconds}: ${so}\n`);
  };
  try {
    const reports = await probe(
      {
        ...{ urls, durationMs: config.for, rigs: config.rigs, shares: config.submit },
        user: config.user || `${generateMinerKeys().account}.probe`,
        ...{ password: config.password, tlsInsecure: config.insecure },
        agent: `stratum-bridge-probe/${readVersion()}`,
      },
      say,
      over.signal,
    );
    print(reports, columnsFor(config.submit), { config, io });
    const faults = reports.filter(({ fault }) => fault !== '');
    for (const { url, fault } of faults) io.stderr.write(`stratum-bridge: ${url}: ${fault}\n`);
    return faults.length === 0 ? OK : FAILED;
  } finally {
    process.off('SIGINT', interrupted);
  }
}

/** Throws {@link ConfigError} with all that are wrong. */
function urlsOf(words: readonly string[]): URL[] {
  const faults: string[] = [];
  const urls = words.flatMap((word) => {
    try {
      return [parsePoolUrl(word)];
    } catch (error) {
      if (!(error instanceof PoolUrlError)) throw error;
      faults.push(error.message);
      return [];
    }
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return urls;
}

function columnsFor(shares: number): Columns<ServerReport> {
  return {
    url: { heading: 'server', kind: 'name', importance: 1 },
    connectMs: { heading: 'connect ms', kind: 'count', importance: 2 },
    handshakeMs: { heading: 'TLS ms', kind: 'count', importance: 3 },
    subscribeMs: { heading: 'subscribe', kind: 'count', importance: 4 },
    authorizeMs: { heading: 'authorize', kind: 'count', importance: 4 },
    firstJobMs: { heading: 'first job', kind: 'count', importance: 2 },
    difficulty: { kind: 'hashes', importance: 3 },
    jobs: { kind: 'count', importance: 2 },
    compared: { kind: 'count', importance: 3 },
    first: { kind: 'count', importance: 2 },
    laterMedianMs: { heading: 'later, p50', kind: 'count', importance: 1 },
    laterP99Ms: { heading: 'p99', kind: 'count', importance: 2 },
    stalePart: { heading: 'stale', kind: 'text', importance: 1, of: ({ stalePart }) => percent(stalePart) },
    answerMedianMs: { heading: 'answer, p50', kind: 'count', importance: 2 },
    answerP99Ms: { heading: 'p99 of it', kind: 'count', importance: 4 },
    ...(shares > 0 && {
      accepted: { kind: 'count', importance: 2 },
      rejected: { kind: 'count', importance: 2 },
    }),
    reconnects: { kind: 'count', importance: 4 },
  };
}

function percent(part: number | null): string {
  return part === null ? '' : `${(100 * part).toFixed(1)} %`;
}
