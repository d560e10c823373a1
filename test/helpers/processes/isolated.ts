/** Runs a story in a network and with mounts of its own (Linux, root): what it does to them ends with it, and reaches nobody. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const STORIES = fileURLToPath(new URL('../../../dist/test/long/isolated-stories.js', import.meta.url));

/** Debian's package of each tool. */
const PACKAGES: Readonly<Record<string, string>> = { ip: 'iproute2', nft: 'nftables', haproxy: 'haproxy' };

const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Why it cannot be done here; `undefined` when it can. Installs from Debian what is missing, where it may. */
export function whyNotIsolated(tools: readonly string[]): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes Linux and root';
  if (!works('unshare', '--net', '--mount', 'true')) return 'this machine allows no namespaces';
  for (const tool of tools) {
    if (works('which', tool)) continue;
    works('apt-get', 'update');
    const wanted = PACKAGES[tool] ?? tool;
    if (!works('apt-get', 'install', '-y', '--no-install-recommends', wanted)) return `there is no ${tool}`;
  }
  return undefined;
}

/** Resolves with what it told; rejects when it did not end well. */
export function runIsolated(story: string): Promise<string> {
  const child = spawn('unshare', ['--net', '--mount', process.execPath, STORIES, story], { stdio: 'pipe' });
  let told = '';
  const tell = (chunk: Buffer): void => {
    told += String(chunk);
    process.stdout.write(chunk);
  };
  child.stdout.on('data', tell);
  child.stderr.on('data', tell);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(told) : reject(new Error(`${story} failed: ${told}`)),
    );
  });
}

/** A command's output; its input may be given. For stories that run isolated. */
export function run(command: string, args: readonly string[], input = ''): string {
  return execFileSync(command, args, { input, encoding: 'utf8' });
}
