/**
 * The document of the API as the routes make it. Run by itself it writes `src/web/api/openapi.json`, and that of a node; with `--examples` it
 * takes the examples anew from a real bridge before.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import swagger from '@fastify/swagger';
import Fastify from 'fastify';
import { openApiDocument } from '../../../src/chain/openapi.js';
import { readVersion } from '../../../src/config/version.js';
import { SILENT } from '../../../src/core/names/log.js';
import { addApi } from '../../../src/web/api/api.js';
import type { Document } from '../../../src/web/api/document/document.js';
import type { SignInParts } from '../../../src/web/api/routes/sessions.js';
import { answersOfABridge } from '../web/api-examples.js';
import { idleBridge } from '../web/idle-bridge.js';
import { ROOT } from '../web/pages.js';
import { documentOptions, EXAMPLES_FILE } from './document-options.js';

const FOLDER = join(ROOT, 'src/web/api');
export const DOCUMENT_FILE = join(FOLDER, 'openapi.json');
/** Of a node, by the table of endpoints. */
export const NODE_DOCUMENT_FILE = join(ROOT, 'src/chain/openapi.json');

export async function documentOfRoutes(): Promise<Document> {
  const { sources } = idleBridge();
  const version = readVersion();
  const app = Fastify();
  await app.register(swagger, documentOptions(version));
  // No route is asked.
  const signIn = {} as SignInParts;
  addApi(app, { state: sources, rigs: sources.rigs, signIn, log: SILENT });
  try {
    await app.ready();
    return JSON.parse(JSON.stringify(app.swagger())) as Document;
  } finally {
    await app.close();
  }
}

function write(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

if (process.argv[1]?.endsWith('api-document.js')) {
  if (process.argv.includes('--examples'))
    write(EXAMPLES_FILE, await answersOfABridge(await documentOfRoutes()));
  write(DOCUMENT_FILE, await documentOfRoutes());
  write(NODE_DOCUMENT_FILE, openApiDocument(readVersion()));
}
