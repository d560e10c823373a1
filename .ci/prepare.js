/** After an install in a checkout: builds, where the tools for it are installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (existsSync(new URL('../node_modules/typescript', import.meta.url))) {
  const { status } = spawnSync('npm', ['run', 'build'], { stdio: 'inherit', shell: true });
  process.exitCode = status ?? 1;
} else {
  process.stdout.write(
    'stratum-bridge: nothing was built, as development dependencies are left out. ' +
      'To build: `npm ci`, then `npm prune --omit=dev` if you want to be without them.\n',
  );
}
