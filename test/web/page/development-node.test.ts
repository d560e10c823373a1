/** The page of the development node's control port, in a real browser, while the node mines, is rewound and gets transactions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../devnode/helpers.js';
import { type NodeProcess, startEasyProcess } from '../../devnode/process.js';
import { newTransaction } from '../../helpers/books/transactions.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';

const missing = await findChromium();

describe.skipIf(missing !== undefined)('the page of the control port', () => {
  let browser: TestBrowser;
  let node: NodeProcess;
  beforeAll(async () => {
    browser = await useChromium();
    node = await startEasyProcess('--control', '127.0.0.1:0', '--peer', 'http://127.0.0.1:9');
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });
  const order = (path: string, json: unknown): Promise<unknown> =>
    ask(`${node.controlUrl}${path}`, { method: 'POST', json });

  it('draws the chains as they grow, forks, what waits, requests and peers', async () => {
    await using opened = await browser.open(node.controlUrl);
    const { page, faults } = opened;
    const braid = page.getByRole('img', { name: /10 chains from height 0/ });
    await braid.waitFor();
    const marks = (what: string): Promise<number> => braid.locator(what).count();
    await expect.poll(() => marks('circle')).toBe(10);

    await order('/mine', { count: 2 });
    await expect.poll(() => marks('circle')).toBe(30);
    // Each has a parent and three adjacents.
    await expect.poll(() => marks('path')).toBe(20 * 4);
    await order('/rewind', { height: 1 });
    await order('/mine', { chains: [0, 1] });
    await expect.poll(() => marks('rect')).toBe(10);
    await page.getByRole('img', { name: /blocks beside the cut: 10/ }).waitFor();

    const { text } = newTransaction('page');
    await ask(`${node.url}/chain/3/mempool/insert`, { method: 'PUT', json: [text] });
    await page.getByRole('row', { name: /^3 1 1 / }).waitFor();
    await page.getByText('/chain/3/mempool/insert').waitFor();
    await order('/mine', { chains: [3] });
    await expect.poll(() => marks('circle.has-transactions')).toBe(1);
    await page.getByRole('row', { name: '127.0.0.1:9 no answer' }).waitFor();
    expect(faults).toEqual([]);
  });

  it.each([
    ['light', 360],
    ['dark', 360],
    ['light', 1400],
    ['dark', 1400],
  ] as const)('is %s and fits at %i, and axe finds nothing', async (colorScheme, width) => {
    await using opened = await browser.open(node.controlUrl, {
      colorScheme,
      viewport: { width, height: 900 },
    });
    const { page } = opened;
    await page.getByText('Live').waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await axeFaults(page)).toEqual([]);
  });

  it('takes no page of elsewhere, and none by a strange name', async () => {
    const { host } = new URL(node.controlUrl);
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await ask(`${node.controlUrl}/state`, { headers })).status;
    expect(await status({ origin: `http://${host}` })).toBe(200);
    expect(await status({ origin: 'http://127.0.0.1:1' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ host: 'evil.example', origin: 'http://evil.example' })).toBe(403);
  });
});
