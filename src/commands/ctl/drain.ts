/** `ctl drain`: the orders, and how far it is. */

import type { Asked } from '../../cli/line/command.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { DRAIN, drain as drainOrder } from '../../operations/drain.js';
import { onBridge } from './bridge.js';
import { drainToItsEnd } from './drain-end.js';
import { wordsOf } from './drain-words.js';
import { say } from './say.js';
import type { CtlDrainSettings } from './settings.js';

export async function drain(asked: Asked<CtlDrainSettings>): Promise<number> {
  return onBridge(asked, async ({ ask, ...on }) => {
    const { over, stop, cancel, status, detach } = on.config;
    const given = Object.entries({ stop, cancel, status }).flatMap(([flag, is]) => (is ? [`--${flag}`] : []));
    if (given.length > 1) throw new ConfigError([`${given.join(' and ')} want different things: choose one`]);
    if (stop && !detach) return drainToItsEnd({ ask, ...on });
    const { json, read } = cancel
      ? await ask(DRAIN, 'DELETE', drainOrder.path)
      : await (status
          ? ask(DRAIN, 'GET', drainOrder.path)
          : ask(DRAIN, 'POST', drainOrder.path, { over, stop }));
    return say(json, wordsOf(read), on);
  });
}
