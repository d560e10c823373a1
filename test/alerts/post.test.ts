/** One notice to one target: what is sent, what counts as taken, and what is tried again. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ATTEMPTS, NotTaken, openPost } from '../../src/alerts/post.js';
import type { AlertTarget } from '../../src/alerts/targets.js';
import type { Alert, Notice } from '../../src/operations/alerts.js';
import { AlertReceiver } from '../helpers/alerts/alert-receiver.js';

const SECRET = 'a-secret-of-sixteen-or-more';
const ALERT: Alert = {
  ...{ id: 7, condition: 'rigOffline', about: 'k:ab.<!channel> *rig*', severity: 'warning' },
  ...{
    says: 'rig k:ab.<!channel> *rig* @everyone is away at http://node-1:1848',
    from: '2023-11-14T22:13:20.000Z',
  },
  ...{ until: null, resolvedSays: '' },
};

function notice(more: Partial<Notice> = {}): Notice {
  return { v: 1, id: randomUUID(), time: ALERT.from, what: 'opened', alert: ALERT, ...more };
}

async function startReceiver(): Promise<AlertReceiver> {
  const receiver = await AlertReceiver.open(SECRET);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return receiver;
}

const COMMON = { name: 'ops', leastSeverity: 'info' } as const;
const webhook = (url: string): AlertTarget => ({ ...COMMON, type: 'webhook', url, secret: SECRET });

/** Resolves with what it was not taken for. */
async function send(
  target: AlertTarget,
  told = notice(),
  { signal = new AbortController().signal, timeoutMs = 10_000 } = {},
): Promise<NotTaken | undefined> {
  const { post, close } = openPost({ timeoutMs });
  onTestFinished(close);
  try {
    await post(target, told, signal);
    return undefined;
  } catch (error) {
    if (error instanceof NotTaken) return error;
    throw error;
  }
}

describe('a notice', () => {
  it('reaches a webhook with an id, a time and a signature that its receiver finds right', async () => {
    const receiver = await startReceiver();
    const told = notice();
    expect(await send(webhook(`${receiver.url}/hook`), told)).toBeUndefined();
    const [heard] = receiver.received;
    expect(heard).toMatchObject({ path: '/hook', isSigned: true });
    expect(heard?.headers['x-stratum-bridge-id']).toBe(told.id);
    expect(heard?.told).toMatchObject({
      v: 1,
      id: told.id,
      what: 'opened',
      alert: { condition: 'rigOffline', until: null },
    });
    await send({ ...webhook(receiver.url), secret: 'another-secret-of-16' } as AlertTarget);
    expect(receiver.received[1]?.isSigned).toBe(false);
  });

  it('has for each service the form that it takes, in which names are text and nothing else', async () => {
    const receiver = await startReceiver();
    const { url } = receiver;
    await send({ ...COMMON, type: 'discord', url: `${url}/d` });
    await send({ ...COMMON, type: 'slack', url: `${url}/s` });
    await send({ ...COMMON, type: 'telegram', url, token: '12:ab', chat: '-100' });
    await send({ ...COMMON, type: 'ntfy', url, token: 'tk_1', topic: 'ops' });
    const [discord, slack, telegram, ntfy] = receiver.received;
    expect(discord?.told).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 });
    const says = 'rig k:ab.\\<!channel> \\*rig\\* @everyone is away at http://node-1:1848';
    expect(discord?.told['content']).toBe(`warning rigOffline: ${says}`);
    expect(slack?.told).toMatchObject({ mrkdwn: false, unfurl_links: false, unfurl_media: false });
    expect(slack?.told['text']).toContain('&lt;!channel&gt;');
    expect(telegram).toMatchObject({ path: '/bot12:ab/sendMessage', told: { chat_id: '-100' } });
    expect(telegram?.told).not.toHaveProperty('parse_mode');
    const title = 'warning rigOffline: ';
    expect(telegram?.told).toMatchObject({
      text: `${title}${ALERT.says}`,
      entities: [{ type: 'code', offset: title.length, length: ALERT.says.length }],
    });
    expect(ntfy?.headers.authorization).toBe('Bearer tk_1');
    expect(ntfy?.told).toMatchObject({
      topic: 'ops',
      priority: 4,
      tags: ['warning'],
      title: 'warning rigOffline',
    });
  });

  it('is cut for each service below what that takes, and between characters', async () => {
    const receiver = await startReceiver();
    const { url } = receiver;
    // Of two units and of four bytes each; signs that are escaped; and those that are written as their number.
    for (const says of ['\u{1f525}', 'x\u{1f525}', '*', '&', '\u202e'].map((each) => each.repeat(5000))) {
      const told = notice({ alert: { ...ALERT, says } });
      await send({ ...COMMON, type: 'discord', url: `${url}/d` }, told);
      await send({ ...COMMON, type: 'slack', url: `${url}/s` }, told);
      await send({ ...COMMON, type: 'telegram', url, token: '12:ab', chat: '-100' }, told);
      await send({ ...COMMON, type: 'ntfy', url, token: '', topic: 'ops' }, told);
      const [discord, slack, telegram, ntfy] = receiver.received.splice(0);
      const texts = [
        discord?.told['content'],
        slack?.told['text'],
        telegram?.told['text'],
        ntfy?.told['message'],
      ];
      const [ofDiscord = '', ofSlack = '', ofTelegram = '', ofNtfy = ''] = texts.map(String);
      expect(ofDiscord.length).toBeLessThanOrEqual(2000);
      expect(ofDiscord.replace(/\\./g, '')).not.toMatch(/[\\*]/);
      expect(ofSlack.length).toBeLessThan(40_000);
      expect(ofTelegram.length).toBeLessThanOrEqual(4096);
      expect(Buffer.byteLength(ofNtfy)).toBeLessThanOrEqual(4096);
      for (const text of [ofDiscord, ofSlack, ofTelegram, ofNtfy])
        expect([text.endsWith('…'), /\p{Cs}/u.test(text)]).toEqual([true, false]);
    }
  });

  it('takes the login in a URL along as HTTP does', async () => {
    const receiver = await startReceiver();
    const { host } = new URL(receiver.url);
    await send(webhook(`http://me:p%40ss@${host}/hook`));
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(receiver.received.map(({ headers, isSigned }) => [headers.authorization, isSigned])).toEqual([
      [basic, true],
    ]);
  });

  it('is taken by a target that goes on answering without an end', async () => {
    const receiver = await startReceiver();
    receiver.answer = (response) => void response.writeHead(200).write('thank you');
    expect(await send(webhook(receiver.url), notice(), { timeoutMs: 600_000 })).toBeUndefined();
  });

  it.each([
    [200, undefined],
    [404, true],
    [401, true],
    [302, true],
    [408, false],
    [429, false],
    [500, false],
    [503, false],
  ])('answered with %i is refused for ever: %s', async (status, isFinal) => {
    const receiver = await startReceiver();
    receiver.answer = (response) =>
      response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end();
    expect((await send(webhook(receiver.url)))?.isFinal).toBe(isFinal);
    expect(receiver.received.length).toBe(1);
  });

  it('is tried five times, each later than the one before', async () => {
    const tries = Array.from({ length: ATTEMPTS - 1 }, (_, i) => i + 1);
    const waits = tries.map((tried) => new NotTaken('answered 500', false).waitMs(tried));
    expect(waits).toEqual([5_000, 30_000, 120_000, 600_000]);
  });

  it.each<[string, Record<string, string>, string, number]>([
    ['seconds', { 'retry-after': '90' }, '', 90_000],
    ['more than it is believed', { 'retry-after': '99999999' }, '', 3_600_000],
    ['less than we wait anyway', { 'retry-after': '0' }, '', 5_000],
    ['nonsense', { 'retry-after': 'soon' }, '', 5_000],
    ['JSON', {}, '{"ok":false,"parameters":{"retry_after":77}}', 77_000],
  ])('waits as long as it is told by %s', async (_, headers, body, afterMs) => {
    const receiver = await startReceiver();
    receiver.answer = (response) => response.writeHead(429, headers).end(body);
    expect((await send(webhook(receiver.url)))?.waitMs(1)).toBe(afterMs);
  });

  it('is tried again where nobody listens, or nobody answers in time', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => {};
    const late = await send(webhook(receiver.url), notice(), { timeoutMs: 50 });
    expect(late).toMatchObject({ isFinal: false, message: expect.stringContaining('cannot be reached') });
    const { url } = receiver;
    await receiver[Symbol.asyncDispose]();
    expect(await send(webhook(url))).toMatchObject({ isFinal: false });
  });

  it('fails without telling what is secret, however much is answered', async () => {
    const receiver = await startReceiver();
    receiver.answer = (response, { path }) =>
      response.writeHead(400).end(`no such hook ${path} ${'x'.repeat(1e6)}`);
    const end = await send({ ...COMMON, type: 'discord', url: `${receiver.url}/api/webhooks/1/T0ken` });
    expect(end).toMatchObject({ isFinal: true, message: expect.stringContaining('no such hook') });
    expect(end?.message).not.toContain('T0ken');
    expect(end?.message.length).toBeLessThan(300);
    // A part of it, decoded, and where the answer is cut.
    receiver.answer = (response) => response.writeHead(400).end(`T0ken me@home ${'x'.repeat(141)}longT0ken`);
    const other = await send(webhook(`${receiver.url}/T0ken/longT0ken?of=me%40home`));
    expect(other).toMatchObject({
      message: expect.stringMatching(/^answered 400: \*\*\* \*\*\* x{141}\*{3}$/),
    });
  });

  it('is no failure of the target where the bridge stops', async () => {
    const receiver = await startReceiver();
    const stop = new AbortController();
    receiver.answer = () => stop.abort();
    await expect(send(webhook(receiver.url), notice(), { signal: stop.signal })).rejects.toThrow('aborted');
  });
});
