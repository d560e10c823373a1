/**
 * The document of the API as the routes make it. Run by itself it writes `src/web/api/openapi.json`; with `--examples` it
 * takes the examples anew from a real bridge before.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readVersion } from '../../src/config/version.js';
import { SILENT } from '../../src/core/log.js';
import type { Document } from '../../src/web/api/document.js';
import { createMetrics } from '../../src/web/metrics/metrics.js';
import { startWebServer } from '../../src/web/server.js';
import { temporaryFolder } from './folder.js';
import { idleBridge } from './idle-bridge.js';
import { ROOT } from './pages.js';
import { startProgram } from './program.js';
import { until } from './until.js';

const FOLDER = join(ROOT, 'src/web/api');
export const DOCUMENT_FILE = join(FOLDER, 'openapi.json');
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

/** What is asked for where all of it would be long. */
const FEW: Readonly<Record<string, string>> = { '/api/v1/events': '?limit=8' };

/** Every GET without parts in its path, as a bridge answers it that mines with a node, a rig and its CPU. */
async function answersOfABridge(paths: readonly string[]): Promise<Record<string, unknown>> {
  await using folder = await temporaryFolder();
  await using demo = startProgram(['demo', '--data-dir', folder.path, '--cpu-threads', '1']);
  const { web } = await demo.ready();
  const ask = async (path: string): Promise<unknown> => (await fetch(`${web}${path}`)).json();
  await until('shares are booked', async () => {
    const { ledger } = (await ask('/api/v1/summary')) as { ledger: { shares?: number } };
    return (ledger.shares ?? 0) > 20;
  });
  // Until windows have filled a little.
  await sleep(20_000);
  const answers: Record<string, unknown> = {};
  for (const path of paths) answers[`GET ${path}`] = await ask(path + (FEW[path] ?? ''));
  demo.kill('SIGTERM');
  await demo.ended;
  return answers;
}

function write(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

if (process.argv[1]?.endsWith('api-document.js')) {
  if (process.argv.includes('--examples')) {
    const { paths } = await documentOfRoutes();
    const plain = Object.keys(paths).filter(
      (path) => paths[path]?.['get']?.responses['200']?.content?.['application/json'] && !path.includes('{'),
    );
    write(EXAMPLES_FILE, await answersOfABridge(plain));
    // The built program reads its own copy.
    execFileSync(process.execPath, [join(ROOT, '.ci/assets.js')], { cwd: ROOT });
  }
  write(DOCUMENT_FILE, await documentOfRoutes());
}
