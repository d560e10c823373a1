/** `ctl message`. */

import type { Asked } from '../../cli/line/command.js';
import { TOLD } from '../../web/api/schemas/order-schemas.js';
import { onBridge } from './bridge.js';
import { nameOf, sessionOf } from './names.js';
import { say } from './say.js';
import type { CtlSettings } from './settings.js';

export type Audience = 'all' | 'account' | 'login' | 'session';

export async function message(to: Audience, asked: Asked<CtlSettings>): Promise<number> {
  const [who = '', text = ''] = to === 'all' ? ['', ...asked.words] : asked.words;
  const order = { to, ...audienceOf(to, who), text };
  return onBridge(asked, async ({ ask, ...on }) => {
    const { json, read } = await ask(TOLD, 'POST', '/api/v1/messages', order);
    return say(json, [`Told ${read.told} of ${read.sessions} sessions; the others take no messages`], on);
  });
}

function audienceOf(to: Audience, who: string): object {
  if (to === 'all') return {};
  if (to === 'account') return { account: who };
  return to === 'login' ? nameOf(who) : sessionOf(who);
}
