/** What webhooks get is a contract: its schema is kept, and each body fits it. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CONDITION_NAMES } from '../../src/alerts/conditions.js';
import { formOf } from '../../src/alerts/forms.js';
import type { Alert } from '../../src/operations/alerts.js';
import { SEVERITIES } from '../../src/operations/enums.js';
import { ALERT_SCHEMA_FILE, alertSchema } from '../helpers/tools/events-schema.js';

const COMMITTED = JSON.parse(readFileSync(ALERT_SCHEMA_FILE, 'utf8')) as object;

const WEBHOOK = {
  name: 'ops',
  type: 'webhook',
  url: 'https://ops.example',
  secret: '',
  leastSeverity: 'info',
} as const;

it('is the schema that is kept (`npm run api` writes it)', () => {
  expect(alertSchema()).toEqual(COMMITTED);
});

it('fits every notice', () => {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const fits = ajv.compile(COMMITTED);
  const time = fc.integer({ min: 0, max: 4_000_000_000_000 }).map((ms) => new Date(ms).toISOString());
  const alerts: fc.Arbitrary<Alert> = fc.record({
    ...{
      id: fc.nat(),
      condition: fc.constantFrom(...CONDITION_NAMES),
      about: fc.string(),
      says: fc.string(),
    },
    ...{
      severity: fc.constantFrom(...SEVERITIES),
      from: time,
      until: fc.option(time),
      resolvedSays: fc.string(),
    },
  });
  const what = fc.constantFrom('opened', 'repeated', 'resolved', 'happened');
  fc.assert(
    fc.property(alerts, what, time, (alert, each, made) => {
      const notice = { v: 1, id: randomUUID(), what: each as 'opened', time: made, alert } as const;
      const { body } = formOf(WEBHOOK, notice, Date.now());
      expect(fits(JSON.parse(body)), ajv.errorsText(fits.errors)).toBe(true);
    }),
  );
});
