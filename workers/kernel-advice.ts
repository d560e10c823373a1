/** How to get a faster kernel than the one in use, in words for an operator. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type KernelName, NATIVE_KERNEL_NAMES } from './kernel.js';
import { nativePlace, packageRoot, unfitReason } from './native/place.js';
import { isNativeBuildTried, nativeFault } from './native-kernel.js';

/** What the advice depends on. */
export interface Installed {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** The folder of our package.json, with a slash at its end. */
  readonly root: URL;
  /** Why there is no native kernel; `undefined` when there is one. */
  readonly fault: string | undefined;
  /** Whether the build was tried: npm may hold install scripts back. */
  readonly tried: boolean;
}

/** `undefined` when there is no faster one to be had here. */
export function kernelAdvice(inUse: KernelName, installed: Installed = asInstalled()): string | undefined {
  const { platform, arch, root, fault } = installed;
  const isNative = NATIVE_KERNEL_NAMES.some((name) => name === inUse);
  if (isNative || fault === undefined || unfitReason(platform, arch) !== undefined) return undefined;
  if (!existsSync(nativePlace(root).source)) return undefined;
  return (
    `a processor with AVX2 or AVX-512 mines two to four times as fast with the native kernel, but ${fault}. ` +
    `With a C compiler (gcc or clang) there, ${buildCommand(installed)} builds it`
  );
}

function asInstalled(): Installed {
  const { platform, arch } = process;
  return { platform, arch, root: packageRoot(), fault: nativeFault(), tried: isNativeBuildTried() };
}

/** Commands that build the kernel, by how this package came here. */
function buildCommand({ root, tried }: Installed): string {
  if (!root.pathname.endsWith('/node_modules/stratum-bridge/')) return '`npm run build`';
  const project = new URL('../../', root);
  // Installed for all users, or by another program than npm: then npm has no project to rebuild in.
  if (!existsSync(new URL('package.json', project)))
    return `\`node ${fileURLToPath(new URL('workers/native/at-install.js', root))}\``;
  const where = `in ${fileURLToPath(project)}`;
  if (tried) return `\`npm rebuild stratum-bridge\` ${where}`;
  return (
    `\`npm rebuild stratum-bridge --ignore-scripts=false\` ${where} ` +
    '(if your npm wants scripts approved, `npm approve-scripts stratum-bridge` before that)'
  );
}
