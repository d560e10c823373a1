/** The view of nodes, in a real browser, of a bridge whose two nodes come, vote differently and go. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../helpers/processes/ports.js';
import { runProgram } from '../../helpers/processes/program.js';
import { until } from '../../helpers/until.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { type PageStory, startPageStory, stop } from '../../helpers/web/page-story.js';

const FIVE_VOTES = String(5000n << 32n);

const missing = await findChromium();

const halted = new Set<number>();

/** Stops front 1, and the one after it: the hub ends a front that says nothing for a while. */
async function haltFront(url: string): Promise<void> {
  const { processes } = (await (await fetch(`${url}/api/v1/processes`)).json()) as {
    processes: { number: number; pid: number; state: string }[];
  };
  const front = processes.find(({ number, state }) => number === 1 && state === 'up');
  if (!front || halted.has(front.pid)) return;
  halted.add(front.pid);
  process.kill(front.pid, 'SIGSTOP');
}

function goOn(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    // The hub has ended it.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe.skipIf(missing !== undefined)('the view of nodes', () => {
  let browser: TestBrowser;
  let story: PageStory;
  let port: number;
  beforeAll(async () => {
    browser = await useChromium();
    [port = 0] = await freePorts(1);
    const settings = ['--node', `http://127.0.0.1:${port}`, '--chains', '10', '--processes', '2'];
    story = await startPageStory(settings);
    await story.startBridge();
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  it('tells how each is, what it gives, and that they do not vote alike', async () => {
    await using opened = await browser.open(`${story.url}/#/nodes`);
    const { page, faults } = opened;
    await page.evaluate('window.neverReloaded = true');
    const second = page.getByRole('region', { name: `http://127.0.0.1:${port}` });
    await second.getByText('is the node running').waitFor();
    await second.getByText('not known without work').waitFor();
    await page.getByText('None: no node has given work yet.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await story.startNode();
    await page.getByText('rigs work for it now').waitFor();
    await page.getByText('of 10 chains').waitFor();
    await page.getByText('0 blocks, all chains together').waitFor();
    await page.getByText(/^heard .* ago$/).waitFor();
    await page.getByText('fork number 0; 0 votes a chain for the next').waitFor();
    await page.getByText('; it does not vote for that').waitFor();
    const chains = page.getByRole('region', { name: 'Table of chains' });
    await expect.poll(() => chains.getByRole('rowheader').allTextContents()).toEqual([...'0123456789']);

    const other = await story.startNode(['--fork-state', FIVE_VOTES], port);
    await second.getByText('healthy').waitFor();
    await second.getByText('fork number 0; 5 votes a chain').waitFor();
    const warning = page.getByRole('heading', { name: 'Nodes do not vote alike' });
    await warning.waitFor();
    await second.getByText('another node says otherwise').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await stop(other);
    await second.getByText('away').waitFor();
    await warning.waitFor({ state: 'detached' });
    // Why it is away is told on the first view too, though its network is known by now.
    await page.evaluate(`location.hash = '#/'`);
    const line = page.locator('.nodes li').filter({ hasText: `:${port}` });
    await line.getByText('is the node running').waitFor();
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
    expect(faults).toEqual([]);
  });

  it('lists the processes of the bridge, and says whose rigs are missing where one does not answer', async () => {
    await using opened = await browser.open(`${story.url}/#/nodes`);
    const { page, faults } = opened;
    const table = page.getByRole('region', { name: 'Table of processes' });
    const names = () => table.getByRole('rowheader').allTextContents();
    await expect.poll(names).toEqual(['hub', 'front\u00a01', 'front\u00a02']);
    await expect.poll(() => table.locator('.state').allTextContents()).toEqual(['up', 'up', 'up']);
    expect(await axeFaults(page)).toEqual([]);
    await page.evaluate(`location.hash = '#/rigs'`);
    const note = page.getByText('Rigs of fronts that do not answer are missing: 1.');
    try {
      await until('the page says who is missing', async () => {
        await haltFront(story.url);
        return note.isVisible();
      });
      await until('ctl says who is missing', async () => {
        await haltFront(story.url);
        const { stderr } = await runProgram(['ctl', 'rigs', '--data-dir', story.dataDir]);
        return stderr.includes('what fronts have that do not answer is missing: 1');
      });
    } finally {
      for (const pid of halted) goOn(pid);
    }
    await note.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});
