/**
 * Pictures of the page for README.md, of the demo as it is built here. Run by itself (`npm run screens`, `npm run screens -- money.png`),
 * it writes them; that takes ten minutes and more, as what is shown has to happen first.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { temporaryFolder } from '../folder.js';
import { startProgram } from '../processes/program.js';
import { until } from '../until.js';
import { browserAt, findChromium } from '../web/chromium.js';
import { launchChromium } from '../web/chromium-program.js';
import { bearer, fetchAsReader } from '../web/operators.js';
import { ROOT } from '../web/pages.js';
import { type Picture, palettePng } from '../web/palette-png.js';

export const SCREENS_FOLDER = 'src/web/page/screens';
/** Of each: who reads README.md loads it. */
export const MOST_BYTES = 60_000;

interface Screen {
  readonly hash: string;
  /** A text that is there once there is something to be seen. */
  readonly shows: string | RegExp;
  readonly isWorth: (web: string, adminToken: string) => Promise<boolean>;
  readonly options: BrowserContextOptions;
}

export const SCREENS: Readonly<Record<string, Screen>> = {
  'overview.png': {
    hash: '',
    shows: 'demo',
    isWorth: hasMined,
    options: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  },
  'rigs.png': {
    hash: '#/rigs',
    shows: 'demo',
    isWorth: hasMined,
    options: { viewport: { width: 360, height: 640 }, colorScheme: 'dark' },
  },
  'money.png': {
    hash: '#/money',
    shows: /Payout [0-9a-f]{5}-\d+/,
    isWorth: hasPayouts,
    options: { viewport: { width: 1100, height: 700 }, colorScheme: 'light' },
  },
};

const WORTH_MS = 1_800_000;
const SETTLED_MS = 5_000;
/** Of the chart of an hour, by minutes. */
const CHART_POINTS = 10;

/** One that was paid, and one that is to be: a demo prepares none by itself. */
async function hasPayouts(web: string, adminToken: string): Promise<boolean> {
  const order = async (path: string, body: object): Promise<{ payout: { id: string } | null }> => {
    const headers = { ...bearer(adminToken), 'content-type': 'application/json' };
    const answer = await fetch(`${web}/api/v1/payouts${path}`, {
      ...{ method: 'POST', headers, body: JSON.stringify(body) },
    });
    return (await answer.json()) as { payout: { id: string } | null };
  };
  const { payout } = await order('', {});
  if (!payout) return false;
  const { payouts } = (await (await fetchAsReader(`${web}/api/v1/payouts`)).json()) as {
    payouts: readonly object[];
  };
  if (payouts.length > 1) return true;
  await order(`/${payout.id}/mark`, { outcome: 'sent', note: 'by hand' });
  return false;
}

/** There is a line to be seen, a list of blocks, and rigs that have been at work for some time. */
async function hasMined(web: string): Promise<boolean> {
  const get = async (path: string): Promise<unknown> => (await fetchAsReader(`${web}/api/v1/${path}`)).json();
  const { solutions } = (await get('summary')) as { solutions: { accepted: number } };
  const history = (await get('history?metric=hashRate&of=pool&range=1h')) as { values?: (number | null)[] };
  const points = history.values?.filter((value) => value !== null).length ?? 0;
  return points >= CHART_POINTS && solutions.accepted >= 20;
}

/** Decoded by the browser: its own file has every colour that there is. */
async function pictureOf(page: Page): Promise<Picture> {
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' });
  const blank = await page.context().newPage();
  try {
    const { pixels, ...size } = (await blank.evaluate(`(${DECODE})('${png.toString('base64')}')`)) as Decoded;
    return { ...size, pixels: Buffer.from(pixels, 'base64') };
  } finally {
    await blank.close();
  }
}

interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly pixels: string;
}

/** Runs in the browser, on a page of nobody. */
const DECODE = `async (base64) => {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const { width, height } = await createImageBitmap(new Blob([bytes]));
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(await createImageBitmap(new Blob([bytes])), 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  let pixels = '';
  for (let at = 0; at < data.length; at += 30_000) pixels += btoa(String.fromCharCode(...data.subarray(at, at + 30_000)));
  return { width, height, pixels };
}`;

/** With as many colours as there is room for. */
function smallPng(picture: Picture, name: string): Buffer {
  const choices = [256, 128, 64].map((colours) => palettePng(picture, colours));
  const png = choices.find(({ length }) => length <= MOST_BYTES);
  if (!png) throw new Error(`${name} has more than ${MOST_BYTES} bytes also with few colours`);
  return png;
}

async function takeScreens(names: readonly string[]): Promise<void> {
  const missing = await findChromium();
  if (missing !== undefined) throw new Error(missing);
  await using folder = await temporaryFolder();
  await using demo = startProgram(['demo', '--data-dir', folder.path]);
  const web = String((await demo.ready())['web']);
  const adminToken = (await readFile(join(folder.path, 'web-admin-token'), 'utf8')).trim();
  await using chromium = await launchChromium();
  await using browser = await browserAt(chromium.wsEndpoint());
  await mkdir(join(ROOT, SCREENS_FOLDER), { recursive: true });
  for (const [name, { hash, options, shows, isWorth }] of Object.entries(SCREENS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    await until(`the demo has something to show on ${name}`, () => isWorth(web, adminToken), WORTH_MS);
    await using opened = await browser.open(`${web}/${hash}`, { ...options, deviceScaleFactor: 1 });
    await opened.page.getByRole('rowheader', { name: shows }).first().waitFor();
    // Charts ask for what they show once they are there.
    await opened.page.waitForTimeout(SETTLED_MS);
    const png = smallPng(await pictureOf(opened.page), name);
    if (opened.faults.length > 0) throw new Error(`the page complains: ${opened.faults.join('; ')}`);
    await writeFile(join(ROOT, SCREENS_FOLDER, name), png);
    process.stdout.write(`${SCREENS_FOLDER}/${name}: ${png.length} bytes\n`);
  }
}

if (process.argv[1]?.endsWith('screens.js')) await takeScreens(process.argv.slice(2));
