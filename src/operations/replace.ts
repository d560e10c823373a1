/** New starts in the place of those that run, one after the other. */
import { z } from 'zod';
import { COUNT } from './entry/fields.js';
import { type Operation, orderOf } from './entry/operation.js';

const PATH = '/api/v1/replace';

const REPLACEMENT_STATES = ['off', 'underWay', 'done', 'failed'] as const;

const REPLACEMENT = z
  .object({
    state: z
      .enum(REPLACEMENT_STATES)
      .describe('off: none was ordered; failed: what was not replaced by then goes on as it was'),
    replaced: COUNT.describe('bridges so far'),
    bridges: COUNT.describe('of so many'),
    why: z.string().nullable().describe('why it has failed; null otherwise'),
  })
  .meta({ id: 'Replacement' });
export type Replacement = z.output<typeof REPLACEMENT>;

export const replacement = {
  tag: 'state',
  access: 'read',
  summary: 'How far the bridges of this machine are replaced',
  path: PATH,
  output: REPLACEMENT,
} satisfies Operation;

export const replace = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Replaces the bridges of this machine, one after the other, as `serve --replace` does',
  description:
    'The program that lies there now is started, and reads the settings anew. When the new bridge is up an old one drains and ends. Ports stay open. Only where bridges have a primary (`processes` is set)',
  method: 'POST',
  path: PATH,
  output: REPLACEMENT,
});
