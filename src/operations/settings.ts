/** The settings in force, and what a reload would make of them. */
import { z } from 'zod';
import type { Operation } from './entry/operation.js';

const TAG = 'state';

const GIVEN = {
  value: z.unknown().describe('as it was written: text, a number, true or false, a list or a map'),
  source: z.string().describe('default, a file, a variable or a flag'),
};

const SETTING = z
  .object({
    key: z.string(),
    ...GIVEN,
    isLive: z.boolean().describe('it may change while the bridge runs'),
    waiting: z.object(GIVEN).nullable().describe('read since, and in force from the next start on'),
  })
  .meta({ id: 'Setting' });

export type SettingView = z.output<typeof SETTING>;

export const settings = {
  tag: TAG,
  access: 'read',
  summary: 'Every setting: its value in force, where that comes from, and what waits for a restart',
  description: 'Secrets are shown as ***, passwords in URLs as well',
  path: '/api/v1/settings',
  output: z.object({ settings: z.array(SETTING) }),
} satisfies Operation;

export const reloadLook = {
  tag: TAG,
  access: 'read',
  summary: 'What a reload would change now',
  description:
    'Reads and checks settings and certificates as a reload does, and changes nothing. A renewed certificate is no change of a setting, and not told',
  path: '/api/v1/reload',
  output: z
    .object({
      changes: z
        .array(
          z.object({
            key: z.string(),
            ...GIVEN,
            isLive: z.boolean().describe('it would be in force at once; otherwise from the next start on'),
          }),
        )
        .describe('settings that are another in what was read than in force'),
      refused: z
        .array(z.string())
        .describe('why a reload would change nothing: a sentence for each fault; empty when it would not'),
    })
    .meta({ id: 'ReloadLook' }),
} satisfies Operation;
export type ReloadLook = z.output<typeof reloadLook.output>;
