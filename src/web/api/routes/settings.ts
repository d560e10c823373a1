/** The settings in force, and the order to read them again. */
import type { SettingsWatch } from '../../../bridge/watch/settings-watch.js';
import { reloadLook, settings } from '../../../operations/settings.js';
import { orderedBy } from '../../access/standing.js';
import { RecentAnswers } from '../../state/recent-answers.js';
import { REFUSED_RELOAD, RELOAD } from '../schemas/schemas.js';
import { serve } from '../serve.js';
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
  serve(api, settings, () => ({ settings: watch.settings() }));
  serve(api, reloadLook, () => recent.ask('look', LOOK_KEPT_MS, () => watch.look()));
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
