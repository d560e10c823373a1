/** One Chromium for all files of a run, whose pages have a profile each: to start one was a second of a processor and more for each file. */
import type { TestProject } from 'vitest/node';
import { launchChromium } from '../web/chromium-program.js';
import { shareByAll } from './shared.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a file asks for the address of the browser. */
    sharedChromium: string;
  }
}

/** As vitest calls it before all tests; what it returns is called after them. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { url, close } = await shareByAll(async () => {
    const server = await launchChromium();
    return { address: server.wsEndpoint(), close: () => server.close() };
  });
  provide('sharedChromium', url);
  return close;
}
