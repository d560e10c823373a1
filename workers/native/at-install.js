/**
 * The install script of the package, which compiles the native kernel for this machine; also the last step of a build.
 * It never fails an install: without that kernel the one in WebAssembly mines, and `stratum-bridge doctor` says so.
 */
import { existsSync } from 'node:fs';

const build = new URL('../../dist/workers/native/build.js', import.meta.url);
// In a checkout npm runs this before anything is built.
if (existsSync(build)) {
  try {
    const { buildWhereNeeded } = await import(build.href);
    const reason = buildWhereNeeded();
    if (reason !== undefined)
      process.stdout.write(`No native kernel: ${reason}. WebAssembly mines instead.\n`);
  } catch (error) {
    process.stdout.write(`The native kernel could not be built: ${error.message}\n`);
  }
}
