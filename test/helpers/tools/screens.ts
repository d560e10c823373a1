/**
 * Pictures of the page, of bridges as they are built here: `npm run screens` takes all of them, into `dist/screens` (a quarter of an hour,
 * as what is shown has to happen first), `npm run screens -- public no-node` those of some situations, and `npm run screens -- readme` the
 * small ones of README.md.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { temporaryFolder } from '../folder.js';
import { startProgram } from '../processes/program.js';
import { browserAt, findChromium, type TestBrowser } from '../web/chromium.js';
import { launchChromium } from '../web/chromium-program.js';
import { HOSTILE_NAMES } from '../web/hostile-names.js';
import { startManyRigs } from '../web/many-rigs.js';
import { READ } from '../web/operators.js';
import { ACCOUNT, type PageStory, startPageStory } from '../web/page-story.js';
import { ROOT } from '../web/pages.js';
import { type Picture, palettePng } from '../web/palette-png.js';

const ALL_FOLDER = 'dist/screens';
export const SCREENS_FOLDER = 'src/web/page/screens';
/** Of each: who reads README.md loads it. */
export const MOST_BYTES = 60_000;

interface Screen {
  readonly hash: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

export const SCREENS: Readonly<Record<string, Screen>> = {
  'overview.png': { hash: '', width: 1280, height: 860, colorScheme: 'light' },
  'rigs.png': { hash: '#/rigs', width: 390, height: 780, colorScheme: 'dark' },
  'payouts.png': { hash: '#/payouts', width: 1100, height: 760, colorScheme: 'light' },
  'blocks.png': { hash: '#/blocks', width: 1100, height: 760, colorScheme: 'dark' },
};

/** Charts ask for what they show once they are there. */
const SETTLED_MS = 4_000;
const MINUTE_MS = 60_000;

const LIGHT = ['light'] as const;
const BOTH = ['light', 'dark'] as const;

type Views = Readonly<Record<string, string>>;

function viewsOf(account: string, rig: string): Views {
  return {
    ...{ overview: '', rigs: '#/rigs', accounts: '#/accounts', blocks: '#/blocks', payouts: '#/payouts' },
    ...{ nodes: '#/nodes', activity: '#/activity', settings: '#/settings' },
    rig: `#/rigs/${encodeURIComponent(account)}/${encodeURIComponent(rig)}`,
    account: `#/accounts/${encodeURIComponent(account)}`,
  };
}

interface Taken {
  /** The start of the names of its files. */
  readonly name: string;
  readonly url: string;
  readonly views: Views;
  readonly widths?: readonly number[];
  readonly schemes?: readonly ('light' | 'dark')[];
  /** By which it is looked; empty for none. */
  readonly token?: string;
}

async function take(
  browser: TestBrowser,
  { name, url, views, token, widths = [1440, 390], schemes = LIGHT }: Taken,
): Promise<void> {
  for (const [view, hash] of Object.entries(views))
    for (const width of widths)
      for (const colorScheme of schemes) {
        const file = join(ROOT, ALL_FOLDER, `${name}-${view}-${width}-${colorScheme}.png`);
        const options = { viewport: { width, height: width < 640 ? 844 : 900 }, colorScheme };
        await using opened = await browser.open(`${url}/${hash}`, options, token);
        await settled(opened.page);
        await opened.page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
        if (opened.faults.length > 0) throw new Error(`${file}: ${opened.faults.join('; ')}`);
      }
  process.stdout.write(`${name}: ${Object.keys(views).length} views\n`);
}

async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(SETTLED_MS);
}

/** What is seen of a demo two and ten minutes after its start, and between these the pictures of README.md. */
async function takeDemo(browser: TestBrowser, wanted: Wanted): Promise<void> {
  await using folder = await temporaryFolder();
  await using demo = startProgram(['demo', '--data-dir', folder.path]);
  const url = String((await demo.ready())['web']);
  const startedMs = Date.now();
  const token = (await readFile(join(folder.path, 'web-admin-token'), 'utf8')).trim();
  const { account } = JSON.parse(await readFile(join(folder.path, 'demo-account.json'), 'utf8'));
  const views = viewsOf(account, 'demo');
  const until = (minutes: number) => sleep(startedMs + minutes * MINUTE_MS - Date.now());
  if (wanted('2min')) {
    await until(2);
    await take(browser, { name: '2min', url, views, token });
  }
  if (wanted('readme')) {
    await until(5);
    await takeSmall(browser, url, token);
  }
  if (!wanted('10min')) return;
  await until(10);
  await take(browser, { name: '10min', url, views, token, widths: [1440, 960, 390], schemes: BOTH });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

async function takeSmall(browser: TestBrowser, url: string, token: string): Promise<void> {
  await mkdir(join(ROOT, SCREENS_FOLDER), { recursive: true });
  for (const [name, { hash, width, height, colorScheme }] of Object.entries(SCREENS)) {
    const options: BrowserContextOptions = { viewport: { width, height }, colorScheme, deviceScaleFactor: 1 };
    await using opened = await browser.open(`${url}/${hash}`, options, token);
    await settled(opened.page);
    const png = smallPng(await pictureOf(opened.page), name);
    await writeFile(join(ROOT, SCREENS_FOLDER, name), png);
    process.stdout.write(`${SCREENS_FOLDER}/${name}: ${png.length} bytes\n`);
  }
}

/** What is seen where something is not there, or is too much. */
const SITUATIONS: Readonly<Record<string, (browser: TestBrowser) => Promise<void>>> = {
  'no-node': (browser) => ofStory(browser, 'no-node', { starts: [] }),
  'no-rig': (browser) => ofStory(browser, 'no-rig', { starts: ['node'] }),
  hostile: (browser) => ofStory(browser, 'hostile', { starts: ['node', 'hostile'] }),
  public: (browser) =>
    ofStory(browser, 'public', { starts: ['node', 'rig'], more: ['--web-public'], token: '' }),
  'signed-out': (browser) => ofStory(browser, 'signed-out', { starts: ['node'], token: '' }),
  'many-rigs': async (browser) => {
    const web = await startManyRigs();
    try {
      const views = { overview: '', rigs: '#/rigs', last: '#/rigs?page=100' };
      await take(browser, { name: 'many-rigs', url: web.url, views, token: READ });
    } finally {
      await web.close();
    }
  },
};

interface StoryOf {
  readonly starts: readonly ('node' | 'rig' | 'hostile')[];
  readonly more?: readonly string[];
  readonly token?: string;
}

async function ofStory(
  browser: TestBrowser,
  name: string,
  { starts, more = [], token }: StoryOf,
): Promise<void> {
  await using story: PageStory = await startPageStory(more);
  if (starts.includes('node')) await story.startNode();
  await story.startBridge();
  if (starts.includes('rig')) story.startRig('cellar');
  if (starts.includes('hostile')) for (const hostile of HOSTILE_NAMES) story.startRig(hostile);
  await sleep(starts.length > 1 ? MINUTE_MS : SETTLED_MS);
  const views = viewsOf(ACCOUNT, starts.includes('hostile') ? (HOSTILE_NAMES[0] ?? '') : 'cellar');
  await take(browser, { name, url: story.url, views, token: token ?? (await story.adminToken()) });
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

type Wanted = (name: string) => boolean;

async function takeScreens(names: readonly string[]): Promise<void> {
  const known = ['2min', '10min', 'readme', ...Object.keys(SITUATIONS)];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: there are ${known.join(', ')}`);
  const missing = await findChromium();
  if (missing !== undefined) throw new Error(missing);
  await mkdir(join(ROOT, ALL_FOLDER), { recursive: true });
  await using chromium = await launchChromium();
  await using browser = await browserAt(chromium.wsEndpoint());
  const wanted: Wanted = (name) => names.length === 0 || names.includes(name);
  for (const [name, takeOf] of Object.entries(SITUATIONS)) if (wanted(name)) await takeOf(browser);
  if (['2min', '10min', 'readme'].some(wanted)) await takeDemo(browser, wanted);
}

if (process.argv[1]?.endsWith('screens.js')) await takeScreens(process.argv.slice(2));
