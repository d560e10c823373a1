/** `ctl difficulty` and `ctl label`: what is ordered for single rigs, and who has such an order. */

import type { Asked } from '../../cli/line/command.js';
import { formatScaled } from '../../cli/screen/units.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { difficulties, labels } from '../../operations/by-order.js';
import { parseDifficulty } from '../../values/numbers.js';
import { HELD, LABELLED } from '../../web/api/schemas/order-schemas.js';
import { onBridge } from './bridge.js';
import { showList } from './list-command.js';
import { nameOf } from './names.js';
import { keptWords, say } from './say.js';
import type { CtlListSettings } from './settings.js';

export async function difficulty(asked: Asked<CtlListSettings>): Promise<number> {
  const [login, hashes] = asked.words;
  if (login === undefined) return onBridge(asked, (on) => showList(on, difficulties));
  const wanted = difficultyIn(hashes);
  const path = pathOf(login, 'difficulty');
  return onBridge(asked, async ({ ask, ...on }) => {
    const { json, read } = await (wanted === undefined
      ? ask(HELD, 'DELETE', path)
      : ask(HELD, 'PUT', path, { difficulty: wanted }));
    const how =
      wanted === undefined
        ? 'is held at no difficulty any more'
        : `is held at ${formatScaled(Number(wanted))}hashes a share`;
    const sentence = `${login} ${how}, from the next job on; sessions that it has now: ${read.sessions}`;
    return say(json, [sentence, ...keptWords(read.isKept)], on);
  });
}

export async function label(asked: Asked<CtlListSettings>): Promise<number> {
  const [login, text] = asked.words;
  if (login === undefined) return onBridge(asked, (on) => showList(on, labels));
  if (text === undefined)
    throw new ConfigError([
      'a label is one text, and an empty one takes it away: nothing stands behind the login',
    ]);
  const path = pathOf(login, 'label');
  return onBridge(asked, async ({ ask, ...on }) => {
    const { json, read } = await (text === ''
      ? ask(LABELLED, 'DELETE', path)
      : ask(LABELLED, 'PUT', path, { label: text }));
    const how = text === '' ? 'has no label any more' : `is labelled ${text}`;
    return say(json, [`${login} ${how}`, ...keptWords(read.isKept)], on);
  });
}

function pathOf(login: string, order: string): string {
  const { account, rig } = nameOf(login);
  const names = rig === '' ? [account] : [account, rig];
  return `/api/v1/rigs/${names.map(encodeURIComponent).join('/')}/${order}`;
}

/** As a decimal; `undefined` for off. Throws {@link ConfigError} for what is neither. */
function difficultyIn(hashes: string | undefined): string | undefined {
  if (hashes === 'off') return undefined;
  const difficulty = hashes === undefined ? undefined : parseDifficulty(hashes);
  if (difficulty !== undefined) return String(difficulty);
  const given = hashes === undefined ? 'nothing stands behind the login' : `not ${JSON.stringify(hashes)}`;
  throw new ConfigError([`a difficulty is a number of expected hashes such as 4G or 4e9, or off: ${given}`]);
}
