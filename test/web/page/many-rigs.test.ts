/** The table of rigs of a large pool: book, list, server, page and browser are real; the shares alone are made up. */

import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_OTHERS } from '../../../src/bridge/watch/other-bridges.js';
import type { RigWatch } from '../../../src/bridge/watch/rig-watch.js';
import { SILENT } from '../../../src/core/names/log.js';
import { RigList } from '../../../src/stratum/operator/rig-list.js';
import { RigBook } from '../../../src/stratum/resume/rig-book.js';
import type { RigSession } from '../../../src/stratum/resume/rig-record.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer, type WebServer } from '../../../src/web/server.js';
import { PATIENCE_MS } from '../../helpers/until.js';
import { findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { idleBridge } from '../../helpers/web/idle-bridge.js';
import { RULES } from '../../helpers/web/operators.js';

const BUILT = new URL('../../../dist/src/web/', import.meta.url);
const RIGS = 10_000;
const UNSEEN = '\u200b\u202e';
const HOSTILE = '<img src=x onerror="window.ran=1">';
const NAMES: Readonly<Record<number, string>> = { 4321: HOSTILE, 4322: UNSEEN };
const PATIENT = { timeout: PATIENCE_MS };
/** It stands still, so that the list is the same for who looks later. */
const NOW_MS = Date.now();

const ADDRESS = '192.0.2.1';
const SESSION: RigSession = {
  openedAtMs: NOW_MS - 3_600_000,
  cameFrom: { host: '192.0.2.1', port: 'tcp' },
  answeredAtMs: NOW_MS,
  agent: 'asic/1',
  difficulty: undefined,
  report: () => expect.fail('nobody looks at a session'),
};

/** Fastest first: rig-0 is the fastest, and the latest to be heard. Each third one is connected, rig-3 twice. */
function fill(book: RigBook): void {
  for (let i = 0; i < RIGS; i++) {
    const account = `k:${(i % 50).toString(16).padStart(64, '0')}`;
    const login = { account, rig: NAMES[i] ?? `rig-${i}` };
    const share = {
      ...{ difficulty: (RIGS - i) * 1e11, reached: i + 1, nextDifficulty: undefined },
      addressKey: ADDRESS,
    };
    book.share(book.recordOf(login), { ...share, sinceMs: NOW_MS - 3_600_000 }, NOW_MS - i);
    if (i % 3 === 0) book.entered(login, SESSION, ADDRESS);
    if (i === 3) book.entered(login, { ...SESSION, openedAtMs: NOW_MS - 7_200_000 }, ADDRESS);
    if (i === 1234) for (let times = 0; times < 3; times++) book.rejected(login, 'stale', NOW_MS);
  }
}

const missing = await findChromium();

describe.skipIf(missing !== undefined)('a table of 10,000 rigs', () => {
  let browser: TestBrowser;
  let web: WebServer;
  beforeAll(async () => {
    browser = await useChromium();
    const { events, sources: idle } = idleBridge();
    const rigBook = new RigBook({ limits: { remembered: RIGS }, accounts: { areProven: false } });
    fill(rigBook);
    const list = new RigList({
      ...{ rigBook, ordered: { of: () => undefined }, labels: { of: () => undefined } },
      ...{ isBanned: () => false, others: () => NO_OTHERS, nowMs: () => NOW_MS },
    });
    const rigs: RigWatch = { ...idle.rigs, rigs: (query) => list.list(query) };
    const sources = { ...idle, rigs };
    const metrics = createMetrics(events, sources);
    web = await startWebServer({
      host: '127.0.0.1',
      port: 0,
      sources,
      metrics,
      log: SILENT,
      built: BUILT,
      access: () => RULES,
    });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await web?.close();
  });

  it('shows a hundred at a time, and asks for no more', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs`);
    const { page, requests } = opened;
    const rows = page.locator('tbody tr');
    await page.getByText('1–100 of 10\u202f000').waitFor();
    // Above the fastest, those five that fell silent last: they are among the fastest, and stand there no second time.
    await expect.poll(() => rows.count(), PATIENT).toBe(100);
    await rows.first().getByRole('rowheader', { name: 'rig-1', exact: true }).waitFor();
    await rows.nth(5).getByRole('rowheader', { name: 'rig-0', exact: true }).waitFor();
    await page.getByText(/Submits are counted since/).waitFor();
    await page.evaluate(`location.hash = '#/rigs?page=99'`);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText('9\u202f901–10\u202f000 of 10\u202f000').waitFor();
    await page.getByRole('rowheader', { name: 'rig-9999' }).waitFor();
    const asked = requests.filter((url) => url.includes('/rigs?')).map((url) => new URL(url).searchParams);
    expect(new Set(asked.map((query) => query.get('limit')))).toEqual(new Set(['100', '5', '1']));
    expect(new Set(asked.map((query) => query.get('offset') ?? '0'))).toEqual(new Set(['0', '9800', '9900']));
  });

  it('finds some by name, by account and by state, and takes back what was searched', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs`);
    const { page, requests } = opened;
    const rows = page.locator('tbody tr');
    const search = page.getByLabel('Search rigs and accounts');
    const choose = (state: string) =>
      page
        .getByRole('navigation', { name: 'State' })
        .getByRole('link', { name: new RegExp(`^${state} `) })
        .click();
    await search.fill('rig-777');
    await page.getByText('11 rigs found').waitFor();
    await expect.poll(() => rows.count(), PATIENT).toBe(11);
    await expect.poll(() => new URL(page.url()).hash, PATIENT).toBe('#/rigs?q=rig-777');
    await page.reload();
    await page.getByText('11 rigs found').waitFor();
    await expect.poll(() => search.inputValue(), PATIENT).toBe('rig-777');
    await choose('Online');
    // 777, 7770, 7773, 7776 and 7779 of them are connected.
    await page.getByText('5 rigs found').waitFor();
    await search.fill('');
    await page.getByText('3\u202f334 rigs found').waitFor();
    await choose('All');
    await page.getByText('1–100 of 10\u202f000').waitFor();
    // What is chosen while the search waits for the next letter holds.
    await search.fill('rig-777');
    await choose('Online');
    await page.getByText('5 rigs found').waitFor();
    await expect.poll(() => new URL(page.url()).hash, PATIENT).toBe('#/rigs?q=rig-777&state=online');
    await search.fill('');
    await page.getByText('3\u202f334 rigs found').waitFor();
    await choose('All');
    await page.getByText('1–100 of 10\u202f000').waitFor();
    await page.evaluate(`location.hash = '#/rigs?account=k:${'0'.repeat(63)}5'`);
    await page.getByText('200 rigs found').waitFor();
    await page.getByRole('button', { name: 'All accounts' }).click();
    await page.getByText('1–100 of 10\u202f000').waitFor();
    expect(requests.filter((url) => /limit=(?!(100|5|1)(&|$))/.test(url))).toEqual([]);
  });

  it('is sorted by each column that the bridge sorts by, both ways', async () => {
    const all = encodeURIComponent('1 h,24 h,Best share,Sessions,Agent,Connected,Accepted,Reasons');
    const url = `${web.url}/#/rigs?columns=${all}`;
    await using opened = await browser.open(url, { viewport: { width: 1600, height: 900 } });
    const { page } = opened;
    const sortBy = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const first = (name: string) =>
      page.locator('tbody tr').first().getByRole('link', { name, exact: true }).waitFor();
    await page.getByText('1–100 of 10\u202f000').waitFor();
    await first('rig-1');
    await sortBy('5 min');
    await first('rig-0');
    await sortBy('5 min');
    await first('rig-9999');
    // The third time it is not sorted by this any more.
    await sortBy('5 min');
    await first('rig-1');
    await sortBy('Last share');
    await first('rig-0');
    await sortBy('Last share');
    await first('rig-9999');
    await sortBy('Rig');
    await first('rig-0');
    await sortBy('Rig');
    await first('rig-9999');
    await sortBy('Best share');
    await first('rig-9999');
    await sortBy('Rejected');
    await first('rig-1234');
    await page.locator('tbody tr').first().getByRole('cell', { name: '3 stale', exact: true }).waitFor();
    await sortBy('Sessions');
    await first('rig-3');
    // All were heard within the hour, so that rates of an hour and a day are in the same order.
    for (const rate of ['1 h', '24 h']) {
      await sortBy(rate);
      await first('rig-0');
      await sortBy(rate);
      await first('rig-9999');
    }
    // Of the account of zeros, then of that with the greatest name.
    await sortBy('Account');
    await page.locator('tbody tr').first().getByText('k:0000…0000').waitFor();
    await sortBy('Account');
    await page.locator('tbody tr').first().getByText('k:0000…0031').waitFor();
    // Who is not connected names no agent.
    await sortBy('Agent');
    await page.locator('tbody tr').first().getByText('offline', { exact: true }).waitFor();
    await sortBy('Agent');
    await page.locator('tbody tr').first().getByText('asic/1', { exact: true }).waitFor();
    await sortBy('State');
    await page.locator('tbody tr').first().getByText('online', { exact: true }).waitFor();
    await sortBy('State');
    await page.locator('tbody tr').first().getByText('offline', { exact: true }).waitFor();
  });

  it('is saved whole as a table for spreadsheets, or what is found of it', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs`);
    const { page, requests, faults } = opened;
    const save = async (): Promise<string[]> => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toBe('rigs.csv');
      return (await text(await download.createReadStream())).trimEnd().split(/\r?\n/);
    };
    await page.getByText('1–100 of 10\u202f000').waitFor();
    const [head, ...lines] = await save();
    expect(head).toMatch(/^login,label,state,rate,/);
    expect(lines).toHaveLength(RIGS);
    expect(new Set(lines).size).toBe(RIGS);
    await page.getByText('Saved as rigs.csv').waitFor();
    await page.getByLabel('Search rigs and accounts').fill('rig-777');
    await page.getByText('11 rigs found').waitFor();
    expect((await save()).slice(1).every((line) => line.includes('rig-777'))).toBe(true);
    expect(requests.filter((url) => !url.startsWith(web.url) && !url.startsWith('blob:'))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('WB20: is a list of cards on a telephone, which is sorted by a choice, and no wider than it', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs`, { viewport: { width: 360, height: 800 } });
    const { page } = opened;
    await page.getByText('1–100 of 10\u202f000').waitFor();
    await page.getByLabel('Sort by').selectOption('Rejected');
    const first = page.locator('tbody tr').first();
    await first.getByRole('rowheader', { name: 'rig-1234', exact: true }).waitFor();
    await first.getByTitle(/accepted, 3 stale/).waitFor();
    await page.getByRole('button', { name: 'Falling: let it rise' }).click();
    await page.getByRole('rowheader', { name: 'rig-1234', exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), PATIENT).toBe(360);
  });

  it('WB30: has no column at 1440 px that is not seen, and others for who wants them', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs`, { viewport: { width: 1440, height: 900 } });
    const { page, faults } = opened;
    await page.getByText('1–100 of 10\u202f000').waitFor();
    const hidden = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.scrolls'))`;
    await expect.poll(() => page.evaluate(hidden), PATIENT).toBe(0);
    await page.getByRole('columnheader', { name: 'Agent' }).waitFor({ state: 'detached' });
    await page.getByText('Columns').click();
    await page.getByLabel('Agent').check();
    await page.getByRole('columnheader', { name: 'Agent' }).waitFor();
    await expect.poll(() => new URL(page.url()).hash, PATIENT).toBe('#/rigs?columns=Agent');
    expect(faults).toEqual([]);
  });

  it('says how many of what was searched are in each state', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs?q=rig-777`);
    const { page } = opened;
    const states = page.getByRole('navigation', { name: 'State' });
    await states.getByRole('link', { name: 'Offline 6', exact: true }).click();
    await expect.poll(() => page.locator('tbody tr').count(), PATIENT).toBe(6);
    await states.getByRole('link', { name: 'Idle 0', exact: true }).click();
    await page.getByText('No rig is idle and has “rig-777” in its name or account.').waitFor();
    await states.getByRole('link', { name: 'All 11', exact: true }).waitFor();
  });

  it('WB11: shows what cannot be seen of a name by its number, and leads to its page', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs?q=${encodeURIComponent(UNSEEN)}`);
    const { page } = opened;
    await page.getByRole('link', { name: '\\u200b\\u202e', exact: true }).click();
    await expect.poll(() => new URL(page.url()).hash, PATIENT).toContain(encodeURIComponent(UNSEEN));
  });

  it('takes the name of a rig for what it is: text', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs?q=onerror`);
    const { page, faults } = opened;
    await page.getByRole('rowheader', { name: '<img src=x o…an=1">' }).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    // Nor does a link take it for something else.
    const path = await page.getByTitle(HOSTILE).getAttribute('href');
    expect(decodeURIComponent(path?.split('/').at(-1) ?? '')).toBe(HOSTILE);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(faults).toEqual([]);
  });
});
