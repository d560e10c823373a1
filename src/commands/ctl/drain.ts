/** `ctl drain`: the orders, and how far it is. */

import type { Asked } from '../../cli/line/command.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { DRAIN } from '../../web/api/schemas/order-schemas.js';
import { onBridge } from './bridge.js';
import { drainToItsEnd } from './drain-end.js';
import { DRAIN_PATH, wordsOf } from './drain-words.js';
import { say } from './say.js';
import type { CtlDrainSettings } from './settings.js';

export async function drain(asked: Asked<CtlDrainSettings>): Promise<number> {
  return onBridge(asked, async ({ ask, ...on }) => {
    const { over: overMs, stop, cancel, status, detach } = on.config;
    const given = Object.entries({ stop, cancel, status }).flatMap(([flag, is]) => (is ? [`--${flag}`] : []));
    if (given.length > 1) throw new ConfigError([`${given.join(' and ')} want different things: choose one`]);
    if (stop && !detach) return drainToItsEnd({ ask, ...on });
    const { json, read } = cancel
      ? await ask(DRAIN, 'DELETE', DRAIN_PATH)
      : await (status ? ask(DRAIN, 'GET', DRAIN_PATH) : ask(DRAIN, 'POST', DRAIN_PATH, { overMs, stop }));
    return say(json, wordsOf(read), on);
  });
}
