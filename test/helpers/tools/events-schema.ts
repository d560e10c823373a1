/** JSON Schemas of what is told to programs: lines of `events.file`, and webhooks of alerts. Run by itself, it writes both. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EVENTS, KINDS, type Kind } from '../../../src/bridge/timeline/events.js';
import { EVENT_LINE } from '../../../src/bridge/timeline/timeline-event.js';
import { ALERT_NOTICE } from '../../../src/operations/alerts.js';
import { ROOT } from '../web/pages.js';

export const ALERT_SCHEMA_FILE = join(ROOT, 'config/alert.schema.json');
export const SCHEMA_FILE = join(ROOT, 'config/events.schema.json');

const DESCRIPTION =
  'A line of events.file. Pass over kinds and facts that you do not know: there may come more of both.';

/** As for what is read: there may be more than this version knows. */
export function eventsSchema(): object {
  const { $schema, ...line } = z.toJSONSchema(EVENT_LINE, { io: 'input' });
  const factsOf = (kind: Kind): object => {
    const { $schema: _, ...facts } = z.toJSONSchema(EVENTS[kind].facts, { io: 'input' });
    return facts;
  };
  return {
    ...{ $schema, title: 'stratum-bridge event', description: DESCRIPTION, ...line },
    allOf: KINDS.map((kind) => ({
      if: { properties: { kind: { const: kind } } },
      // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema
      then: { properties: { facts: { $ref: `#/$defs/${kind}` } } },
    })),
    $defs: Object.fromEntries(KINDS.map((kind) => [kind, factsOf(kind)])),
  };
}

const ALERT_DESCRIPTION =
  'The body of a webhook of alerts.targets. Pass over fields and conditions that you do not know: there may come more of both.';

export function alertSchema(): object {
  const { $schema, ...notice } = z.toJSONSchema(ALERT_NOTICE, { io: 'input' });
  return { $schema, title: 'stratum-bridge alert', description: ALERT_DESCRIPTION, ...notice };
}

if (process.argv[1]?.endsWith('events-schema.js')) {
  writeFileSync(SCHEMA_FILE, `${JSON.stringify(eventsSchema(), null, 2)}\n`);
  writeFileSync(ALERT_SCHEMA_FILE, `${JSON.stringify(alertSchema(), null, 2)}\n`);
}
