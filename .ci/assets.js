/** After the compiler: puts files that are read as they are where the built program looks for them, and lets that one be run. */
import { chmodSync, cpSync, rmSync } from 'node:fs';

for (const path of ['src/ledger/migrations', 'src/web/api/examples.json']) {
  rmSync(`dist/${path}`, { recursive: true, force: true });
  cpSync(path, `dist/${path}`, { recursive: true });
}

// npm does so only when it links it: `npx stratum-bridge` would not run any more after a build anew.
chmodSync('dist/src/main.js', 0o755);
