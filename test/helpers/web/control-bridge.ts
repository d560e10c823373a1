/** A bridge that runs, as commands find it: its control socket in a data directory. */
import { expect, onTestFinished } from 'vitest';
import type { NodeReport } from '../../../src/bridge/events.js';
import { SILENT } from '../../../src/core/names/log.js';
import { openBooksWatch } from '../../../src/ledger/watch/watch.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startControlServer } from '../../../src/web/server.js';
import { temporaryFolder } from '../folder.js';
import { controlPlace } from './control-place.js';
import { idleBridge, NO_BOOKS } from './idle-bridge.js';

/** Until the test ends. @param booksAt `undefined`: its ledger is away. Resolves with the data directory. */
export async function controlledBridge(
  booksAt: string | undefined,
  nodes: readonly NodeReport[] = [],
): Promise<string> {
  const folder = await temporaryFolder();
  const ready = Promise.resolve();
  const watch =
    booksAt === undefined
      ? undefined
      : openBooksWatch({ connectionString: booksAt, ready, patienceMs: 60_000 });
  const { events, sources: idle } = idleBridge();
  const sources = {
    ...{ ...idle, nodes: () => nodes, books: watch ?? NO_BOOKS },
    webUrl: () => 'http://127.0.0.1:1919',
  };
  const server = await startControlServer({
    ...{ sources, metrics: createMetrics(events, sources), log: SILENT },
    control: { path: controlPlace(folder.path), failed: (why) => expect.fail(why) },
  });
  onTestFinished(async () => {
    await server.close();
    await watch?.close();
    await folder[Symbol.asyncDispose]();
  });
  return folder.path;
}
