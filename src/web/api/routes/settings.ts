/** The settings in force, and the order to read them again. */
import type { SettingsWatch } from '../../../bridge/watch/settings-watch.js';
import { reload, reloadLook, settings } from '../../../operations/settings.js';
import { orderedBy } from '../../access/standing.js';
import { RecentAnswers } from '../../state/recent-answers.js';
import { serve, serveOrder } from '../serve.js';
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
  serveOrder(api, reload, async (_, request) => {
    const { refused, tookEffect, wantsRestart, ports } = await watch.reload(orderedBy(request));
    const waiting = { wantsRestart: [...wantsRestart], ports: [...ports] };
    if (refused.length === 0) return { tookEffect: [...tookEffect], ...waiting };
    return { refused: 'busy', why: 'the settings were not taken', now: { refused, ...waiting } };
  });
}
