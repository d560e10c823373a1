/** `ctl reload`. */
import type { Asked } from '../../cli/line/command.js';
import { RELOAD } from '../../web/api/schemas/schemas.js';
import { onBridge } from './bridge.js';
import { say } from './say.js';
import type { CtlSettings } from './settings.js';

export async function reload(asked: Asked<CtlSettings>): Promise<number> {
  return onBridge(asked, async ({ ask, ...on }) => {
    const { json, read } = await ask(RELOAD, 'POST', '/api/v1/reload');
    const { tookEffect, wantsRestart, ports } = read;
    const took = tookEffect.map((key) => `${key} took effect`);
    const waits = wantsRestart.map((key) => `${key} waits for a restart`);
    const moved = ports.map(({ name, why }) => `port ${name} waits for a restart: ${why}`);
    const all = [...took, ...waits, ...moved];
    return say(json, all.length > 0 ? all : ['Read again: no setting has changed'], on);
  });
}
