/** `ctl close`, `ban`, `unban` and `reload`. */

import type { Asked } from '../../cli/line/command.js';
import type { BanView } from '../../operations/bans.js';
import { BANNED, CLOSED, UNBANNED } from '../../web/api/schemas/order-schemas.js';
import { RELOAD } from '../../web/api/schemas/schemas.js';
import { onBridge } from './bridge.js';
import { nameOf, sessionOf } from './names.js';
import { keptWords, say } from './say.js';
import type { CtlBanSettings, CtlCloseSettings, CtlSettings } from './settings.js';

export async function close(asked: Asked<CtlCloseSettings>): Promise<number> {
  const { id, openedAt } = sessionOf(asked.words[0] ?? '');
  return onBridge(asked, async ({ ask, ...on }) => {
    const { reason } = on.config;
    const { json } = await ask(CLOSED, 'POST', `/api/v1/sessions/${id}/close`, { openedAt, reason });
    return say(json, [`Session ${id} is closed`], on);
  });
}

export type Banned = 'login' | 'account' | 'address' | 'rig';

export async function ban(kind: Banned, asked: Asked<CtlBanSettings>): Promise<number> {
  return onBridge(asked, async ({ ask, words, ...on }) => {
    const { reason, for: forMs, until } = on.config;
    const end = { ...(forMs === 0 ? {} : { forMs }), ...(until === '' ? {} : { until }) };
    const order = { kind, ...whomOf(kind, words), reason, ...end };
    const { json, read } = await ask(BANNED, 'POST', '/api/v1/bans', order);
    const { ban, closed, isKept } = read;
    const sentence = `Banned is ${whoIs(ban)}, ${endOf(ban)}; sessions that it has ended: ${closed}`;
    return say(json, [sentence, `\`ctl unban ${ban.id}\` takes it back`, ...keptWords(isKept)], on);
  });
}

function whomOf(kind: Banned, [who = '', address = '']: readonly string[]): object {
  if (kind === 'address') return { address: who };
  if (kind === 'account') return { account: who };
  return kind === 'login' ? nameOf(who) : { ...nameOf(who), address };
}

export async function unban(asked: Asked<CtlSettings>): Promise<number> {
  return onBridge(asked, async ({ ask, words: [id = ''], ...on }) => {
    const { json, read } = await ask(UNBANNED, 'DELETE', `/api/v1/bans/${encodeURIComponent(id)}`);
    return say(json, [`Not banned any more is ${whoIs(read.ban)}`, ...keptWords(read.isKept)], on);
  });
}

function whoIs({ kind, login = '', address }: BanView): string {
  const who = kind === 'address' ? [] : [`${kind} ${login}`];
  return [...who, ...(address === undefined ? [] : [`${kind === 'address' ? '' : 'at '}${address}`])].join(
    ' ',
  );
}

function endOf({ until }: BanView): string {
  return until === null ? 'until that is taken back' : `until ${until}`;
}

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
