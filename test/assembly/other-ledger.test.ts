/** A start on a data directory whose shares were written down for another ledger. */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openQueue } from '../../src/assembly/books/queue.js';
import { explained } from '../../src/assembly/failures.js';
import { alone } from '../../src/assembly/machine.js';
import type { Site } from '../../src/assembly/site.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { CloseStack } from '../../src/cli/service/stop.js';
import type { BridgeConfig } from '../../src/config/settings.js';
import { SILENT } from '../../src/core/names/log.js';
import { makeFolder } from '../../src/files/make-folder.js';
import { requireLedger } from '../../src/queue/log/ledger-mark.js';
import { useBooks } from '../helpers/books/books.js';
import { temporaryFolder } from '../helpers/folder.js';

const books = useBooks();

function siteOf(dataDir: string): Site {
  const config = {
    ...{ dataDir, 'ledger.databaseUrl': books.connectionString, 'queue.recorder': false },
    ...{ 'shares.durability': 'disk', 'shares.logSize': 2 ** 24, 'queue.entries': 100 },
  } as unknown as BridgeConfig;
  return {
    config,
    folder: dataDir,
    log: SILENT,
    open: new CloseStack(),
    events: createBridgeEvents(),
    machine: alone(),
  };
}

it('is refused with both of them and with what to do, before anything is written or shipped', async () => {
  await using folder = await temporaryFolder();
  const [shares, former] = [join(folder.path, 'shares'), randomUUID()];
  makeFolder(shares);
  await requireLedger(shares, former);
  const site = siteOf(folder.path);
  onTestFinished(() => site.open.close(SILENT));
  const connection = { backend: 'postgres', connectionString: books.connectionString } as const;
  const start = () => openQueue(site, { ledger: books.ledger, connection, clock: { nowMs: Date.now } });
  await expect(explained(start)).rejects.toThrow(
    new RegExp(
      `for the ledger ${former}, and the one that answers is ${await books.ledger.id()}: .*ledger adopt`,
    ),
  );
  expect(await readdir(folder.path)).toEqual(['shares']);
  expect(await readdir(shares)).toEqual(['ledger']);
});
