/** What webhooks get is a contract: its schema is kept, and each body fits it. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Alert, CONDITIONS, SEVERITIES } from '../../../src/bridge/alerts/alerts.js';
import { webhookBody } from '../../../src/web/alerts/forms.js';
import { ALERT_SCHEMA_FILE, alertSchema } from '../../helpers/tools/events-schema.js';

const COMMITTED = JSON.parse(readFileSync(ALERT_SCHEMA_FILE, 'utf8')) as object;

it('is the schema that is kept (`npm run api` writes it)', () => {
  expect(alertSchema()).toEqual(COMMITTED);
});

it('fits every notice', () => {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const fits = ajv.compile(COMMITTED);
  const ms = fc.integer({ min: 0, max: 4_000_000_000_000 });
  const alerts: fc.Arbitrary<Alert> = fc.record({
    ...{ id: fc.nat(), condition: fc.constantFrom(...CONDITIONS), about: fc.string(), says: fc.string() },
    ...{ severity: fc.constantFrom(...SEVERITIES), account: fc.option(fc.string(), { nil: undefined }) },
    ...{ openedAtMs: ms, resolvedAtMs: fc.option(ms, { nil: undefined }), resolvedSays: fc.string() },
  });
  const what = fc.constantFrom('opened', 'repeated', 'resolved', 'happened');
  fc.assert(
    fc.property(alerts, what, ms, (alert, each, madeAtMs) => {
      const body = webhookBody({ id: randomUUID(), what: each as 'opened', madeAtMs, alert });
      expect(fits(JSON.parse(body)), ajv.errorsText(fits.errors)).toBe(true);
      // Whose rigs it is about stands in what it is about, where it matters.
      expect(JSON.parse(body).alert).not.toHaveProperty('account');
    }),
  );
});
