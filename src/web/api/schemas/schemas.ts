/** What reading the settings again comes to. */
import { z } from 'zod';
import { FAULT } from '../../../operations/entry/fields.js';

const KEYS = z.array(z.string());
const WAITING = {
  wantsRestart: KEYS.describe('keys of settings that wait for a restart'),
  ports: z
    .array(z.object({ name: z.string(), why: z.string() }))
    .describe('ports that make stratum.ports wait'),
};

export const RELOAD = z
  .object({ tookEffect: KEYS.describe('keys of settings that were another before'), ...WAITING })
  .meta({ id: 'Reload' });

export const REFUSED_RELOAD = FAULT.extend({
  refused: z.array(z.string()).describe('a sentence for each fault'),
  ...WAITING,
}).meta({ id: 'RefusedReload', description: 'All settings stay as they were' });
