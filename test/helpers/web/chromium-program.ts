/** Debian's Chromium, as a program that several may use at once. */
import { type BrowserServer, chromium } from 'playwright-core';
import { run } from '../processes/debian.js';
import { PATIENCE_MS } from '../until.js';

/** Of this machine alone. */
export async function launchChromium(): Promise<BrowserServer> {
  const { stdout } = await run('which', ['chromium-headless-shell']);
  return chromium.launchServer({ executablePath: stdout.trim(), timeout: PATIENCE_MS, host: '127.0.0.1' });
}
