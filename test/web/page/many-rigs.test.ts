/** The table of rigs of a large pool. The list alone is made up; server, page and browser are real. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Listing, RigReport, RigWatch } from '../../../src/bridge/rig-watch.js';
import { HASH_RATE_WINDOWS_MS } from '../../../src/core/hash-rate.js';
import { SILENT } from '../../../src/core/log.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer, type WebServer } from '../../../src/web/server.js';
import { findChromium, startChromium, type TestBrowser } from '../../helpers/chromium.js';
import { idleBridge } from '../../helpers/idle-bridge.js';

const BUILT = new URL('../../../dist/src/web/page/', import.meta.url);
const RIGS = 10_000;
const HOSTILE = '<img src=x onerror="window.ran=1">';

/** Fastest first, as the bridge gives them. */
const reports: RigReport[] = Array.from({ length: RIGS }, (_, i) => ({
  account: `k:${(i % 50).toString(16).padStart(64, '0')}`,
  rig: i === 4321 ? HOSTILE : `rig-${i}`,
  state: 'online',
  sessions: i % 3,
  connectedAtMs: undefined,
  agent: '',
  difficulty: undefined,
  orderedDifficulty: undefined,
  accepted: 1,
  rejections: {},
  bestShare: 0,
  lastShareAtMs: Date.now() - i * 1000,
  hashRates: HASH_RATE_WINDOWS_MS.map((windowMs) => ({
    windowMs,
    hashesPerSecond: (RIGS - i) * 1e9,
    standardError: (RIGS - i) * 1e8,
  })),
}));

const missing = await findChromium();

describe.skipIf(missing !== undefined)('a table of 10,000 rigs', () => {
  let browser: TestBrowser;
  let web: WebServer;
  beforeAll(async () => {
    browser = await startChromium();
    const { events, sources: idle } = idleBridge();
    const listing = ({ offset, limit }: { offset: number; limit: number }): Listing<RigReport> => ({
      total: RIGS,
      items: reports.slice(offset, offset + limit),
    });
    const rigs: RigWatch = { ...idle.rigs, rigs: listing };
    const sources = { ...idle, rigs };
    const metrics = createMetrics(events, sources);
    web = await startWebServer({ host: '127.0.0.1', port: 0, sources, metrics, log: SILENT, page: BUILT });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await web?.close();
  });

  it('shows a hundred at a time, and asks for no more until it is searched or sorted', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs`);
    const { page, requests } = opened;
    const rows = page.locator('tbody tr');
    await page.getByText('1–100 of 10\u202f000').waitFor();
    expect(await rows.count()).toBe(100);
    expect(await rows.first().innerText()).toContain('rig-0');
    await page.getByRole('link', { name: 'Last' }).click();
    await page.getByText('9\u202f901–10\u202f000 of 10\u202f000').waitFor();
    await page.getByRole('rowheader', { name: 'rig-9999' }).waitFor();
    const asked = requests.filter((url) => url.includes('/rigs?')).map((url) => new URL(url).search);
    expect(new Set(asked)).toEqual(new Set(['?offset=0&limit=100', '?offset=9900&limit=100']));
  });

  it('finds one by its name, and takes back what was searched', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs`);
    const { page } = opened;
    const search = page.getByLabel('Search rigs and accounts');
    await search.fill('rig-777');
    await page.getByText('11 of 10\u202f000 rigs').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(11);
    await expect.poll(() => new URL(page.url()).hash).toBe('#/rigs?q=rig-777');
    await page.reload();
    await page.getByText('11 of 10\u202f000 rigs').waitFor();
    await expect.poll(() => search.inputValue()).toBe('rig-777');
    await search.fill('');
    await page.getByText('1–100 of 10\u202f000').waitFor();
  });

  it('is sorted by each column, both ways', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs`);
    const { page } = opened;
    const first = page.locator('tbody tr').first();
    const sortBy = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await page.getByText('1–100 of 10\u202f000').waitFor();
    await sortBy('5 min');
    await first.getByText('rig-9999').waitFor();
    await sortBy('Last share');
    await first.getByRole('rowheader', { name: 'rig-0', exact: true }).waitFor();
    await sortBy('Last share');
    await first.getByText('rig-9999').waitFor();
    await sortBy('Rig');
    await first.getByText(HOSTILE).waitFor();
    await sortBy('Sessions');
    await first.getByRole('cell', { name: '2', exact: true }).waitFor();
  });

  it('takes the name of a rig for what it is: text', async () => {
    await using opened = await browser.open(`${web.url}/#/rigs?q=onerror`);
    const { page, faults } = opened;
    await page.getByRole('rowheader', { name: HOSTILE }).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(faults).toEqual([]);
  });
});
