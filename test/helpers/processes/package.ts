/** The package as a user gets it: packed here, installed from the registry, run as npm runs programs. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LIMIT_MS = 300_000;
export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
  /** Both. */
  readonly text: string;
}

/** Runs a command line by a shell, as it would be typed in that folder, to its end. */
export function typed(line: string, cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', line], { cwd, env: withoutNpm(), timeout: LIMIT_MS }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? (error ? 'killed' : 0), stdout, stderr, text: `${stdout}${stderr}` });
    });
  });
}

/** Without what `npm test` tells of our own folder. */
function withoutNpm(): NodeJS.ProcessEnv {
  const ours = /^(npm_(package|lifecycle|config_local_prefix|command|execpath)|INIT_CWD|STRATUM_BRIDGE_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !ours.test(key)));
}

export interface Packed {
  /** Path of the tarball. */
  readonly path: string;
  readonly files: readonly string[];
}

/** Packs what is built, or a folder of it. A packer's `npm pack` builds anew before, which would take it from under other tests. */
export async function packInto(folder: string, of = '.'): Promise<Packed> {
  const { code, stdout, text } = await typed(
    `npm pack './${of}' --ignore-scripts --json --pack-destination '${folder}'`,
    ROOT,
  );
  if (code !== 0) throw new Error(`npm pack failed: ${text}`);
  const [packed] = Object.values(JSON.parse(stdout)) as { filename: string; files: { path: string }[] }[];
  if (!packed) throw new Error(`npm pack packed nothing: ${text}`);
  return { path: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
}

/** Whether there is an npm registry in reach; one that only does not know the question is. */
export async function registryAnswers(): Promise<boolean> {
  const { code, text } = await typed('npm ping --fetch-retries=0 --fetch-timeout=10000', ROOT);
  return code === 0 || /code E\d{3}/.test(text);
}

/**
 * Installs packages in a folder that has none, without their install scripts, and refuses what does not run on this
 * Node.js. What npm said; throws when it fails.
 */
export async function installIn(folder: string, ...packages: readonly string[]): Promise<string> {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const how = '--engine-strict --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=warn';
  const { code, text } = await typed(
    `npm install ${how} ${packages.map((one) => `'${one}'`).join(' ')}`,
    folder,
  );
  if (code !== 0) throw new Error(`npm install failed: ${text}`);
  return text;
}
