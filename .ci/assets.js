/** After the compiler: puts files that are read as they are where the built program looks for them, and lets that one be run. */
import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const sqlIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.sql'))
    .map((name) => join(folder, name));

for (const path of sqlIn('dist/src/ledger')) rmSync(path);
const others = ['src/web/api/examples.json', 'src/chain/openapi.json'];
for (const path of [...sqlIn('src/ledger'), ...others]) cpSync(path, join('dist', path));

// npm does so only when it links it: `npx stratum-bridge` would not run any more after a build anew.
chmodSync('dist/src/main.js', 0o755);
