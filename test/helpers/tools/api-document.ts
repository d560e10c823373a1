/**
 * The document of the API as the routes make it. Run by itself it writes `src/web/api/openapi.json`, and that of a node; with `--examples` it
 * takes the examples anew from a real bridge before.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../../src/chain/openapi.js';
import { readVersion } from '../../../src/config/version.js';
import { SILENT } from '../../../src/core/names/log.js';
import type { Document } from '../../../src/web/api/document/document.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer } from '../../../src/web/server.js';
import { answersOfABridge } from '../web/api-examples.js';
import { idleBridge } from '../web/idle-bridge.js';
import { ROOT } from '../web/pages.js';

const FOLDER = join(ROOT, 'src/web/api');
export const DOCUMENT_FILE = join(FOLDER, 'openapi.json');
/** Of a node, by the table of endpoints. */
export const NODE_DOCUMENT_FILE = join(ROOT, 'src/chain/openapi.json');
export const EXAMPLES_FILE = join(FOLDER, 'examples.json');

export async function documentOfRoutes(): Promise<Document> {
  const { events, sources: idle } = idleBridge();
  const sources = { ...idle, version: readVersion() };
  const metrics = createMetrics(events, sources);
  const web = await startWebServer({ host: '127.0.0.1', port: 0, sources, metrics, log: SILENT });
  try {
    return (await (await fetch(`${web.url}/api/openapi.json`)).json()) as Document;
  } finally {
    await web.close();
  }
}

function write(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

if (process.argv[1]?.endsWith('api-document.js')) {
  if (process.argv.includes('--examples')) {
    write(EXAMPLES_FILE, await answersOfABridge(await documentOfRoutes()));
    // The built program reads its own copy.
    execFileSync(process.execPath, [join(ROOT, '.ci/assets.js')], { cwd: ROOT });
  }
  write(DOCUMENT_FILE, await documentOfRoutes());
  write(NODE_DOCUMENT_FILE, openApiDocument(readVersion()));
}
