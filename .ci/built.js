/** Before `npm start`: says what to run where nothing is built yet. */
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../dist/src/main.js', import.meta.url))) {
  process.stderr.write('stratum-bridge is not built yet. Run `npm ci && npm run build` first.\n');
  process.exitCode = 1;
}
