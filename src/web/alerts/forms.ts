/** A notice as each kind of target takes it. What comes from peers, such as names of rigs, is text there and nothing else. */
import { createHmac } from 'node:crypto';
import { type Alert, type Notice, SEVERITIES } from '../../bridge/alerts/alerts.js';
import { printable } from '../../core/names.js';
import type { AlertTarget } from './rules.js';

/** A request that delivers a notice. */
export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What of it must stand in no log. */
  readonly secrets: readonly string[];
}

/**
 * The body of a webhook, version 1; `config/alert.schema.json` describes it. More fields may come within `v` 1; none goes.
 *
 *     {"v":1,"id":"5f0c…","time":"2026-11-22T15:26:37.123Z","what":"opened","alert":{"id":7,"condition":"diskLow",
 *      "about":"bridge 0","severity":"critical","says":"…","from":"…","until":null,"resolvedSays":""}}
 */
export function webhookBody({ id, what, madeAtMs, alert }: Notice): string {
  const { condition, about, severity, says, openedAtMs, resolvedAtMs, resolvedSays } = alert;
  const times = {
    from: new Date(openedAtMs).toISOString(),
    until: resolvedAtMs === undefined ? null : new Date(resolvedAtMs).toISOString(),
  };
  const shown = { id: alert.id, condition, about, severity, says, ...times, resolvedSays };
  return JSON.stringify({ v: 1, id, time: new Date(madeAtMs).toISOString(), what, alert: shown });
}

export const ID_HEADER = 'x-stratum-bridge-id';
export const TIME_HEADER = 'x-stratum-bridge-timestamp';
export const SIGNATURE_HEADER = 'x-stratum-bridge-signature';

/** `sha256=` and the HMAC-SHA-256, as hex, of the time (seconds, as in its header), a dot and the body. */
export function signatureOf(secret: string, seconds: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** @param nowMs milliseconds since the epoch: of this try, so that who checks the signature can refuse old ones. */
export function postingOf(target: AlertTarget, notice: Notice, nowMs: number): Posting {
  switch (target.type) {
    case 'webhook':
      return webhookPosting(target.url, target.secret, notice, nowMs);
    case 'discord':
      return json(target.url, {
        content: cut(escapedMarkdown(textOf(notice)), 2000),
        allowed_mentions: { parse: [] },
      });
    case 'slack':
      return json(target.url, { text: cut(escapedSlack(textOf(notice)), 3000), mrkdwn: false });
    case 'telegram':
      return telegramPosting(target, notice);
    case 'ntfy':
      return ntfyPosting(target, notice);
  }
}

export function webhookPosting(url: string, secret: string, notice: Notice, nowMs: number): Posting {
  const body = webhookBody(notice);
  const seconds = Math.floor(nowMs / 1000);
  const headers = { [ID_HEADER]: notice.id, [TIME_HEADER]: String(seconds) };
  const signed = secret === '' ? {} : { [SIGNATURE_HEADER]: signatureOf(secret, seconds, body) };
  return { ...posting(url, body), headers: { ...JSON_TYPE, ...headers, ...signed } };
}

function telegramPosting({ url, token, chat }: AlertTarget & { type: 'telegram' }, notice: Notice): Posting {
  // Without a parse mode the text is shown as it is.
  const message = {
    chat_id: chat,
    text: cut(textOf(notice), 4096),
    link_preview_options: { is_disabled: true },
  };
  const made = json(`${url.replace(/\/$/, '')}/bot${token}/sendMessage`, message);
  return { ...made, secrets: [...made.secrets, token] };
}

function ntfyPosting({ url, token, topic }: AlertTarget & { type: 'ntfy' }, notice: Notice): Posting {
  const { what, alert } = notice;
  const isOver = what === 'resolved';
  const message = {
    topic,
    title: titleOf(notice),
    message: cut(saysOf(notice), 3000),
    // 1 to 5, of which 3 is the usual one.
    priority: isOver ? 3 : 3 + SEVERITIES.indexOf(alert.severity),
    tags: [isOver ? 'white_check_mark' : TAGS[alert.severity]],
  };
  const made = json(url, message);
  const headers = token === '' ? made.headers : { ...made.headers, authorization: `Bearer ${token}` };
  return { ...made, headers, secrets: [...made.secrets, topic, token].filter(Boolean) };
}

const TAGS: Readonly<Record<Alert['severity'], string>> = {
  info: 'information_source',
  warning: 'warning',
  critical: 'rotating_light',
};

const JSON_TYPE = { 'content-type': 'application/json' };

function json(url: string, value: object): Posting {
  return posting(url, JSON.stringify(value));
}

function posting(url: string, body: string): Posting {
  const { pathname, search, username, password } = new URL(url);
  const secrets = [pathname.slice(1), search.slice(1), username, password];
  return { url, body, headers: JSON_TYPE, secrets: secrets.filter((each) => each.length > 3) };
}

/** One sentence for people, with what it is about. */
function textOf(notice: Notice): string {
  return `${titleOf(notice)}: ${saysOf(notice)}`;
}

function titleOf({ what, alert: { severity, condition } }: Notice): string {
  return what === 'resolved'
    ? `resolved ${condition}`
    : `${severity}${what === 'repeated' ? ' still' : ''} ${condition}`;
}

function saysOf({ what, alert: { says, resolvedSays } }: Notice): string {
  return printable(what === 'resolved' ? resolvedSays : says);
}

function escapedMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<-]/g, '\\$&');
}

function escapedSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}
