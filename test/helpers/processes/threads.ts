/** The compiled mining thread: threads run compiled code even where tests run the sources. */
import { existsSync } from 'node:fs';

export const THREAD_URL = new URL('../../../dist/workers/thread.js', import.meta.url);

if (!existsSync(THREAD_URL)) throw new Error('mining threads run compiled code: run `npm run build` first');
