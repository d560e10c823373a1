/** `ctl allow` and `ctl deny`: addresses that rigs may come from, and may not. */

import type { Asked } from '../../cli/line/command.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { addresses as listed } from '../../operations/by-order.js';
import { ADDRESSES_ORDERED } from '../../web/api/schemas/order-schemas.js';
import { onBridge } from './bridge.js';
import { showList } from './list-command.js';
import { keptWords, say } from './say.js';
import type { CtlListSettings } from './settings.js';

export async function listAddresses(list: 'allow' | 'deny', asked: Asked<CtlListSettings>): Promise<number> {
  const [addresses, off] = asked.words;
  if (addresses === undefined) return onBridge(asked, (on) => showList(on, listed));
  if (off !== undefined && off !== 'off')
    throw new ConfigError([`behind the address stands nothing, or off: not ${JSON.stringify(off)}`]);
  return onBridge(asked, async ({ ask, ...on }) => {
    const path = `/api/v1/addresses/${list}/${encodeURIComponent(addresses)}`;
    const { json, read } = await ask(ADDRESSES_ORDERED, off === undefined ? 'PUT' : 'DELETE', path);
    const how = read.isOn ? 'is on' : 'is taken from';
    const sentence = `${read.addresses} ${how} the list ${list}; sessions that this has ended: ${read.closed}`;
    return say(json, [sentence, ...keptWords(read.isKept)], on);
  });
}
