/** After the compiler: puts files that are read as they are where the built program looks for them, and lets that one be run. */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { page, STYLE } from '../dist/src/web/api/document/reference-page.js';

const sqlIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.sql'))
    .map((name) => join(folder, name));

for (const path of sqlIn('dist/src/ledger')) rmSync(path);
for (const path of [...sqlIn('src/ledger'), 'src/chain/openapi.json']) cpSync(path, join('dist', path));

// The reference of the API: a page for people, and the document for programs.
const reference = 'dist/src/web/reference';
const document = JSON.parse(readFileSync('src/web/api/openapi.json', 'utf8'));
mkdirSync(reference, { recursive: true });
writeFileSync(`${reference}/index.html`, page(document));
writeFileSync(`${reference}/reference.css`, STYLE);
writeFileSync(`${reference}/openapi.json`, JSON.stringify(document));

// npm does so only when it links it: `npx stratum-bridge` would not run any more after a build anew.
chmodSync('dist/src/main.js', 0o755);
