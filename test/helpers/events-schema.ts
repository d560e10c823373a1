/** The JSON Schema of a line of `events.file`, from the facts of each kind. Run by itself, it writes `config/events.schema.json`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EVENT_LINE, FACTS, KINDS, type Kind } from '../../src/bridge/happenings.js';
import { ROOT } from './pages.js';

export const SCHEMA_FILE = join(ROOT, 'config/events.schema.json');

const DESCRIPTION =
  'A line of events.file. Pass over kinds and facts that you do not know: there may come more of both.';

/** As for what is read: there may be more than this version knows. */
export function eventsSchema(): object {
  const { $schema, ...line } = z.toJSONSchema(EVENT_LINE, { io: 'input' });
  const factsOf = (kind: Kind): object => {
    const { $schema: _, ...facts } = z.toJSONSchema(FACTS[kind], { io: 'input' });
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

if (process.argv[1]?.endsWith('events-schema.js'))
  writeFileSync(SCHEMA_FILE, `${JSON.stringify(eventsSchema(), null, 2)}\n`);
