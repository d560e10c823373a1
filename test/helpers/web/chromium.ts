/** A real Chromium for tests: found, installed from Debian, or left out by debian.ts. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { inject } from 'vitest';
import { findPrograms } from '../processes/debian.js';
import { addressOf } from '../runner/shared.js';
import { PATIENCE_MS } from '../until.js';
import { READ } from './operators.js';

/** Why there is no Chromium, or `undefined` when there is one. Says the reason on stderr. */
export function findChromium(): Promise<string | undefined> {
  return findPrograms('tests of the page', ['chromium-headless-shell'], 'chromium-headless-shell');
}

export interface TestBrowser extends AsyncDisposable {
  /**
   * A page in a profile of its own, in which nothing is kept yet but a session.
   *
   * @param token by which it is; empty for none.
   */
  open(url: string, options?: BrowserContextOptions, token?: string): Promise<WatchedPage>;
}

export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** URLs of all that was asked for. */
  readonly requests: readonly string[];
  /** What no page may say: errors of scripts, and breaches of its policy. */
  readonly faults: readonly string[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/**
 * What axe finds wrong with the page as it is shown now, with the elements that it is wrong with.
 *
 * @param rules by which alone it looks; all of them when they are left out.
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Half a megabyte, which a page takes once.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  // To name the elements that are right, too, takes longer than to look at them.
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const POLICY = /content.security.policy|refused to|violates/i;

/** That of all files of the run (runner/shared-chromium.ts), which ends with the run. */
export async function useChromium(): Promise<TestBrowser> {
  return browserAt(await addressOf('Chromium', inject('sharedChromium')));
}

/** Once it is not used any more its pages are closed, and the browser goes on. */
export async function browserAt(address: string): Promise<TestBrowser> {
  const browser = await chromium.connect(address, { timeout: PATIENCE_MS });
  return {
    async open(url, options = {}, token = READ) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      if (token !== '') await context.request.post(new URL('/api/v1/session', url).href, { data: { token } });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      const requests: string[] = [];
      const faults: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        if (POLICY.test(message.text())) faults.push(message.text());
      });
      await page.goto(url);
      const close = async (): Promise<void> => {
        // What a test answers for the page may be under way still.
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await context.close();
      };
      return { page, requests, faults, [Symbol.asyncDispose]: close };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
