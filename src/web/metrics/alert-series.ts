/** What alerts are judged by, and what became of them, for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { CERTIFICATES, type Signs } from '../../alerts/signs.js';
import { TRIES } from '../../bridge/alerts.js';
import type { SummarySources } from '../state/summary.js';
import { PREFIX, readGauge } from './series.js';

export function alertSeries(
  registry: Registry,
  { signs, alerts }: Pick<SummarySources, 'signs' | 'alerts'>,
): void {
  const sign = (name: string, help: string, read: (seen: Signs) => number | undefined): void =>
    readGauge(registry, name, help, async () => read(await signs()));
  sign(
    'fresh_job_age_seconds',
    'Since the newest fresh job, or the start',
    ({ jobAgeMs }) => jobAgeMs / 1000,
  );
  sign(
    'disk_free_bytes',
    'Room on the disk that has the data directory',
    ({ diskFreeBytes }) => diskFreeBytes,
  );
  sign(
    'fork_votes_differ',
    '1 while nodes vote differently on a fork; NaN while none can be compared',
    (seen) => (seen.forkVotesDiffer === undefined ? undefined : Number(seen.forkVotesDiffer)),
  );
  new Gauge({
    name: `${PREFIX}certificate_ends_in_seconds`,
    help: 'Until the certificate ends; NaN where there is none',
    labelNames: ['of'],
    registers: [registry],
    async collect() {
      const { certificates } = await signs();
      for (const of of CERTIFICATES) {
        const found = certificates.find((each) => each.of === of);
        this.set({ of }, found ? found.endsInMs / 1000 : Number.NaN);
      }
    },
  });
  readGauge(registry, 'alerts_open', 'Open alerts, as far as this bridge knows', () => alerts.open().length);
  new Counter({
    name: `${PREFIX}alert_tries_total`,
    help: 'Notices that were sent to targets of the settings, by what became of them',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const outcome of TRIES) this.inc({ outcome }, alerts.tries[outcome]);
    },
  });
}
