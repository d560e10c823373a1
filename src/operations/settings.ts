/** The settings in force, and what a reload would make of them. */
import { z } from 'zod';
import { type Operation, orderOf } from './entry/operation.js';

const TAG = 'state';

const GIVEN = {
  value: z.unknown().describe('as it was written: text, a number, true or false, a list or a map'),
  source: z
    .string()
    .describe(
      'default, a file, a variable, a flag, the command itself, or the rules of the ledger where these say otherwise',
    ),
};

const SETTING = z
  .object({
    key: z.string(),
    ...GIVEN,
    default: z.unknown().describe('what a bridge goes by where nobody says anything, as a file has it'),
    help: z.string().describe('what it is, in a sentence or two'),
    isLive: z.boolean().describe('it may change while the bridge runs'),
    isRule: z
      .boolean()
      .describe('the rules of the ledger hold in its place: neither a reload nor a restart changes them'),
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

const KEYS = z.array(z.string());
const WAITING = {
  wantsRestart: KEYS.describe('keys of settings that wait for a restart, those of former readings included'),
  ports: z
    .array(z.object({ name: z.string(), why: z.string() }))
    .describe('ports that make stratum.ports wait'),
};

export const reload = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Reads settings and certificates again, as SIGHUP does',
  description: 'A fault in any of them changes nothing, and each is told',
  method: 'POST',
  path: reloadLook.path,
  output: z
    .object({ tookEffect: KEYS.describe('keys of settings that were another before'), ...WAITING })
    .meta({ id: 'Reload' }),
  refusal: z
    .object({ refused: z.array(z.string()).describe('a sentence for each fault'), ...WAITING })
    .partial().shape,
  commands: {
    reload: {
      summary: 'read settings and certificates again',
      about: 'As SIGHUP does. A fault in any of them changes nothing; each is told, and the exit code is 1.',
      said: ({ tookEffect, wantsRestart, ports }) => {
        const all = [
          ...tookEffect.map((key) => `${key} took effect`),
          ...wantsRestart.map((key) => `${key} waits for a restart`),
          ...ports.map(({ name, why }) => `port ${name} waits for a restart: ${why}`),
        ];
        return all.length > 0 ? all : ['Read again: no setting has changed'];
      },
    },
  },
});
export type Reload = z.output<typeof reload.output>;
