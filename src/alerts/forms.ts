/** A notice as each kind of target takes it. What comes from peers, such as names of rigs, is text there and nothing else. */
import { createHmac } from 'node:crypto';
import { printable } from '../core/names/names.js';
import type { Alert, Notice } from '../operations/alerts.js';
import { SEVERITIES } from '../operations/enums.js';
import type { AlertTarget } from './targets.js';

/** A request that delivers a notice. */
export interface Form {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What of it must stand in no log. */
  readonly secrets: readonly string[];
}

const ID_HEADER = 'x-stratum-bridge-id';
const TIME_HEADER = 'x-stratum-bridge-timestamp';
const SIGNATURE_HEADER = 'x-stratum-bridge-signature';

/** `sha256=` and the HMAC-SHA-256, as hex, of the time (seconds, as in its header), a dot and the body. */
function signatureOf(secret: string, seconds: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** @param nowMs milliseconds since the epoch: of this try, so that who checks the signature can refuse old ones. */
export function formOf(target: AlertTarget, notice: Notice, nowMs: number): Form {
  switch (target.type) {
    case 'webhook':
      return webhookForm(target.url, target.secret, notice, nowMs);
    case 'discord':
      return discordForm(target.url, notice);
    case 'slack':
      return slackForm(target.url, notice);
    case 'telegram':
      return telegramForm(target, notice);
    case 'ntfy':
      return ntfyForm(target, notice);
  }
}

/**
 * Version 1; `config/alert.schema.json` describes it. More fields may come within `v` 1; none goes.
 *
 *     {"v":1,"id":"5f0c…","time":"2026-11-22T15:26:37.123Z","what":"opened","alert":{"id":7,"condition":"diskLow",
 *      "about":"bridge 0","severity":"critical","says":"…","from":"…","until":null,"resolvedSays":""}}
 */
function webhookForm(url: string, secret: string, notice: Notice, nowMs: number): Form {
  const body = JSON.stringify(notice);
  const seconds = Math.floor(nowMs / 1000);
  const headers = { [ID_HEADER]: notice.id, [TIME_HEADER]: String(seconds) };
  const signed = secret === '' ? {} : { [SIGNATURE_HEADER]: signatureOf(secret, seconds, body) };
  const made = form(url, body);
  return { ...made, headers: { ...made.headers, ...headers, ...signed } };
}

/** 2,000 characters at the most: cut before escapes, which may double it, so that none of them is cut. No link is opened up. */
function discordForm(url: string, notice: Notice): Form {
  const content = escapedMarkdown(cut(textOf(notice), 1000));
  return json(url, { content, allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS });
}

const SUPPRESS_EMBEDS = 1 << 2;

/** 40,000 characters at the most, of which 4,000 are recommended. Nobody is named without `<…>`, and no link is opened up. */
function slackForm(url: string, notice: Notice): Form {
  const text = escapedSlack(cut(textOf(notice), 3000));
  return json(url, { text, mrkdwn: false, unfurl_links: false, unfurl_media: false });
}

/**
 * 4,096 characters at the most. Without a parse mode no sign is markup; but names and links are found in any text, and who is
 * named is told. In what is marked as code they are not.
 */
function telegramForm({ url, token, chat }: AlertTarget & { type: 'telegram' }, notice: Notice): Form {
  const title = `${titleOf(notice)}: `;
  const says = cut(saysOf(notice), 3000);
  const message = {
    chat_id: chat,
    text: `${title}${says}`,
    // In units of UTF-16, as here.
    entities: [{ type: 'code', offset: title.length, length: says.length }],
    link_preview_options: { is_disabled: true },
  };
  const made = json(`${url.replace(/\/$/, '')}/bot${token}/sendMessage`, message);
  return { ...made, secrets: [...made.secrets, token] };
}

/** 4,096 bytes at the most: a longer one would become a file. */
function ntfyForm({ url, token, topic }: AlertTarget & { type: 'ntfy' }, notice: Notice): Form {
  const { what, alert } = notice;
  const isOver = what === 'resolved';
  const message = {
    topic,
    title: titleOf(notice),
    message: cut(saysOf(notice), 1300),
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

function json(url: string, value: object): Form {
  return form(url, JSON.stringify(value));
}

/** A login in the URL goes as HTTP takes it; the URL that is asked has none. */
function form(target: string, body: string): Form {
  const url = new URL(target);
  const { username, password } = url;
  const secrets = secretsIn(url);
  [url.username, url.password] = ['', ''];
  const login = `${decoded(username)}:${decoded(password)}`;
  const basic = `Basic ${Buffer.from(login).toString('base64')}`;
  const authorization = username === '' && password === '' ? {} : { authorization: basic };
  return { url: url.href, body, headers: { ...JSON_TYPE, ...authorization }, secrets };
}

/** An answer may repeat the whole or a part of it. */
function secretsIn({ pathname, search, searchParams, username, password }: URL): string[] {
  const parts = [pathname.slice(1), search.slice(1), ...pathname.split('/'), ...searchParams.values()];
  const all = [...parts, username, password].flatMap((part) => [part, decoded(part)]);
  return [...new Set(all)].filter((each) => each.length > 3);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that means itself
  }
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

/** Signs that mean something only where a line begins are left as they are: there stands the title, and in a URL they are shown. */
function escapedMarkdown(text: string): string {
  return text.replace(/[\\*_~`|[\]<]/g, '\\$&');
}

function escapedSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Never within a pair of surrogates: half of one is no text. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
