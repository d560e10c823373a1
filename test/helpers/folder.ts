import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder that goes with its scope. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await newFolder();
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** An empty one, which every user may enter: where tests run as root, PostgreSQL runs in it as another. */
export async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stratum-bridge-test-'));
  await chmod(path, 0o755);
  return path;
}
