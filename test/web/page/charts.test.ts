/** Charts in a real browser: what was mined is in them, they go on without a reload, and nobody has to see them. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import { ask } from '../../helpers/books/ask-postgres.js';
import { bookEarlierBlocks, bookEarlierShares } from '../../helpers/books/earlier-books.js';
import { PATIENCE_MS } from '../../helpers/until.js';
import { findChromium } from '../../helpers/web/chromium.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const missing = await findChromium();
const PATIENT = { timeout: PATIENCE_MS };
/** More than the page asks for one by one. */
const EARLIER_BLOCKS = 120;

describe.skipIf(missing !== undefined)('a chart', () => {
  const watched = watchedStory(async (story) => {
    // Four seconds of the story's rig: so few blocks in a test that each is told by itself.
    const slowly = ['--genesis-difficulty', '80000', '--block-delay', '60000ms'];
    await Promise.all([story.startNode(slowly), story.startBridge()]);
    await bookEarlierShares(story.database);
    await bookEarlierBlocks(story.database, EARLIER_BLOCKS);
    story.startRig('cellar');
  });

  const chartOf = (page: Page, title = 'Hash rate') => page.getByRole('region', { name: title, exact: true });
  const sliderOf = (chart: Locator) => chart.getByRole('slider');
  const says = (slider: Locator) => slider.getAttribute('aria-valuetext');

  it('shows the time that was chosen, which stands in the address', async () => {
    await using opened = await watched.browser.open(watched.story.url);
    const { page, requests } = opened;
    const chart = chartOf(page);
    const choice = (name: string) => chart.getByRole('link', { name, exact: true });
    // From the first share on, twenty hours ago.
    for (const [name, range, last] of [
      ['24 h', '24h', /^1(18|19|20)$/],
      ['7 d', '7d', /^(19|20)$/],
      ['30 d', '30d', /^[67]$/],
      ['1 y', '1y', /^1$/],
    ] as const) {
      await choice(name).click();
      await expect.poll(() => choice(name).getAttribute('aria-current'), PATIENT).toBe('true');
      await expect.poll(() => sliderOf(chart).getAttribute('aria-valuemax'), PATIENT).toMatch(last);
      expect(new URL(page.url()).hash).toBe(`#/?range=${range}`);
    }
    await page.reload();
    await expect.poll(() => choice('1 y').getAttribute('aria-current'), PATIENT).toBe('true');
    await page.goBack();
    await expect.poll(() => choice('30 d').getAttribute('aria-current'), PATIENT).toBe('true');
    expect(requests.filter((url) => url.includes('range=1y')).length).toBeGreaterThan(0);
  });

  it('is drawn, anew in another theme, and as wide as there is room', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/?range=24h`, {
      colorScheme: 'light',
    });
    const { page } = opened;
    const canvas = chartOf(page).locator('canvas');
    await canvas.waitFor();
    const colours = async () => new Set((await page.evaluate(COLOURS)) as string[]);
    const link = { light: '10,92,171', dark: '132,189,242' };
    await expect.poll(async () => (await colours()).has(link.light), PATIENT).toBe(true);
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('Dark');
    await expect.poll(async () => (await colours()).has(link.dark), PATIENT).toBe(true);
    const width = async () => (await canvas.boundingBox())?.width ?? 0;
    expect(await width()).toBeGreaterThan(800);
    await page.setViewportSize({ width: 360, height: 800 });
    await expect.poll(width, PATIENT).toBeLessThan(340);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(width, PATIENT).toBeGreaterThan(800);
  });

  it('is read step by step with the keyboard', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/?range=24h`);
    const { page } = opened;
    const chart = chartOf(page);
    const slider = sliderOf(chart);
    await chart.locator('canvas').waitFor();
    await slider.focus();
    await expect.poll(() => says(slider), PATIENT).toMatch(/^\d\d:\d\d: /);
    const last = Number(await slider.getAttribute('aria-valuemax'));
    await page.keyboard.press('Home');
    await expect.poll(() => slider.getAttribute('aria-valuenow'), PATIENT).toBe('0');
    await expect.poll(() => says(slider), PATIENT).toMatch(/^\d\d:\d\d: [\d.]+\s[kMG]?H\/s/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => slider.getAttribute('aria-valuenow'), PATIENT).toBe('2');
    await expect.poll(() => says(slider), PATIENT).toMatch(/^\d\d:\d\d: no data/);
    // The same stands below the chart for who sees it.
    await expect.poll(() => chart.locator('.chart-step').innerText(), PATIENT).toMatch(/^\d\d:\d\d: no data/);
    await page.keyboard.press('PageUp');
    await expect.poll(() => slider.getAttribute('aria-valuenow'), PATIENT).toBe('12');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => slider.getAttribute('aria-valuenow'), PATIENT).toBe(String(last));
  });

  it('counts blocks by step where they are too many to stand one by one, and leaves none out', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/?range=24h`);
    const chart = chartOf(opened.page);
    await chart.getByText(/ · \d+\sblocks( · |$)/).waitFor();
    await chart.locator('.legend').getByText('blocks').waitFor();
    await chart.getByText('As a table').click();
    const steps = chart.getByRole('row').filter({ hasText: /\d+\sblocks?, \d+ of them orphaned/ });
    // Half a minute apart: an hour of them.
    await expect.poll(() => steps.count(), PATIENT).toBeGreaterThanOrEqual(6);
    const told = async () =>
      (await steps.allInnerTexts()).map((row) => Number(/, (\d+) of them orphaned/.exec(row)?.[1]));
    await expect
      .poll(async () => (await told()).reduce((sum, each) => sum + each, 0), PATIENT)
      .toBe(EARLIER_BLOCKS);
    await chart.locator('canvas').waitFor();
  });

  it('has what was mined and the blocks that were found, and goes on without a reload', async () => {
    await using opened = await watched.browser.open(watched.story.url);
    const { page, faults } = opened;
    const chart = chartOf(page);
    await chart.getByText(/^[\d.]+\s[kMG]?H\/s ±\s[\d.]+ at \d\d:\d\d · .* to .* · \d+\sblocks?/).waitFor();
    await chart.getByText(/[kMG]?H\/s, (thousand |million |billion )?hashes a second/).waitFor();
    await chart.getByText('As a table').click();
    const rows = chart.getByRole('row');
    await rows
      .filter({ hasText: /[\d.]+\s[kMG]?H\/s ±\s[\d.]+/ })
      .first()
      .waitFor();
    await rows
      .filter({ hasText: /block \d+ of chain \d+/ })
      .first()
      .waitFor();
    // Of the time before there is nothing, and that is no nought.
    await rows.filter({ hasText: 'no data' }).first().waitFor();
    const words = await chart.locator('.chart-words').innerText();
    await expect.poll(() => chart.locator('.chart-words').innerText(), PATIENT).not.toBe(words);
    expect(faults).toEqual([]);
  });

  it('has bands where alerts were open, and what is wrong now is told above', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/?range=24h`);
    const { page } = opened;
    const alert = (condition: string, says: string, minutes: readonly [number, number | undefined]) => {
      const [from, until] = minutes.map((each) =>
        each === undefined ? 'NULL' : `now() - interval '${each} minutes'`,
      );
      return ask(
        { connectionString: watched.story.database },
        `INSERT INTO ${SCHEMA}.alert (condition, about, severity, says, opened_at, resolved_at)
         VALUES ('${condition}', 'another bridge', 'warning', '${says}', ${from}, ${until}) RETURNING id`,
      );
    };
    await alert('rigOffline', 'a.attic is offline', [300, 200]);
    // Of another bridge, so that this one, which looks at all of its own every few seconds, does not find it well.
    await alert('certificateEnding', 'a certificate ends', [150, undefined]);
    const trouble = page.locator('.troubles');
    await trouble.getByRole('heading', { name: 'Alert: certificate ending' }).waitFor();
    await trouble.getByText('a certificate ends.').waitFor();
    const chart = chartOf(page);
    await chart.getByText('As a table').click();
    const rows = chart.getByRole('row');
    await rows.filter({ hasText: 'alert: a.attic is offline' }).nth(9).waitFor();
    await rows.filter({ hasText: 'alert: a certificate ends' }).nth(14).waitFor();
    await ask(
      { connectionString: watched.story.database },
      `UPDATE ${SCHEMA}.alert SET resolved_at = now() WHERE resolved_at IS NULL RETURNING id`,
    );
    await trouble.getByRole('heading').first().waitFor({ state: 'detached' });
  });
});

/** Colours of the canvas, each once. */
const COLOURS = `(() => {
  const canvas = document.querySelector('canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const found = new Set();
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) found.add(data.slice(at, at + 3).join());
  return [...found];
})()`;
