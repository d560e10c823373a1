/** The settings in force, and the order to read them again. */
import { z } from 'zod';
import type { SettingReport, SettingsWatch } from '../../../bridge/watch/settings-watch.js';
import { orderedBy } from '../../access/standing.js';
import { RecentAnswers } from '../../state/recent-answers.js';
import { REFUSED_RELOAD, RELOAD, RELOAD_LOOK, SETTING } from '../schemas/schemas.js';
import type { Api } from '../typed.js';

const NONE: SettingsWatch = {
  settings: () => [],
  look: async () => ({ changes: [], refused: [] }),
  reload: async () => ({
    tookEffect: [],
    wantsRestart: [],
    ports: [],
    refused: ['here are no settings to be read again'],
  }),
};

/** Who looks often does not read and check the files as often. */
const LOOK_KEPT_MS = 1_000;

export function addSettingsRoutes(api: Api, watch: SettingsWatch = NONE): void {
  const recent = new RecentAnswers();
  api.get(
    '/api/v1/settings',
    {
      schema: {
        tags: ['state'],
        summary: 'Every setting: its value in force, where that comes from, and what waits for a restart',
        description: 'Secrets are shown as ***, passwords in URLs as well',
        response: { 200: z.object({ settings: z.array(SETTING) }) },
      },
    },
    () => ({ settings: watch.settings().map(showSetting) }),
  );
  api.get(
    '/api/v1/reload',
    {
      schema: {
        tags: ['state'],
        summary: 'What a reload would change now',
        description:
          'Reads and checks settings and certificates as a reload does, and changes nothing. A renewed certificate is no change of a setting, and not told',
        response: { 200: RELOAD_LOOK },
      },
    },
    async () => {
      const { changes, refused } = await recent.ask('look', LOOK_KEPT_MS, () => watch.look());
      return { changes: [...changes], refused: [...refused] };
    },
  );
  api.post(
    '/api/v1/reload',
    {
      config: { access: 'operate' },
      schema: {
        tags: ['orders'],
        summary: 'Reads settings and certificates again, as SIGHUP does',
        description: 'A fault in any of them changes nothing, and each is told',
        response: { 200: RELOAD, 422: REFUSED_RELOAD },
      },
    },
    async (request, reply) => {
      const { tookEffect, wantsRestart, ports, refused } = await watch.reload(orderedBy(request));
      const kept = { wantsRestart: [...wantsRestart], ports: [...ports] };
      if (refused.length === 0) return reply.send({ tookEffect: [...tookEffect], ...kept });
      return reply.code(422).send({ error: 'the settings were not taken', refused: [...refused], ...kept });
    },
  );
}

function showSetting({ waiting, ...report }: SettingReport): z.output<typeof SETTING> {
  return { ...report, waiting: waiting ?? null };
}
