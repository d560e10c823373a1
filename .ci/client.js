/**
 * After the compiler: the node client as a package of its own, for programs that want nothing of the bridge. What its entry reaches is copied
 * as it is, code and types, to dist/node-client.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';

const NAME = 'stratum-bridge-node-client';
const ENTRY = 'node-client/client';
const SOURCE = 'dist/src';
const BUILT = 'dist/node-client';

const IMPORT = /(?:from\s*|import\s*\(?\s*)['"]([^'"]+)['"]/g;

/** By file; and the packages that they import. */
function reached(files) {
  const found = new Set(files);
  const packages = new Set();
  for (const file of found) {
    const text = readFileSync(`${SOURCE}/${file}`, 'utf8');
    if (text.includes('import.meta'))
      throw new Error(`${file} looks for what lies beside it: that is not copied`);
    for (const [, name] of text.matchAll(IMPORT)) {
      if (!name.startsWith('.')) packages.add(name);
      else {
        const path = posix.join(posix.dirname(file), name);
        found.add(file.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path);
      }
    }
  }
  return { files: [...found], packages: [...packages] };
}

const { version, license, engines, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const { files, packages } = reached([`${ENTRY}.js`, `${ENTRY}.d.ts`]);

rmSync(BUILT, { recursive: true, force: true });
for (const file of files) {
  mkdirSync(dirname(`${BUILT}/${file}`), { recursive: true });
  // There are no source maps beside it.
  const text = readFileSync(`${SOURCE}/${file}`, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/gm, '');
  writeFileSync(`${BUILT}/${file}`, text);
}
const isUsed = (name) => packages.some((used) => used === name || used.startsWith(`${name}/`));
const manifest = {
  name: NAME,
  version,
  description: "A node's HTTP interface, whole and typed: chains read, followed and paid on",
  license,
  type: 'module',
  engines,
  exports: { '.': { types: `./${ENTRY}.d.ts`, default: `./${ENTRY}.js` } },
  dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => isUsed(name))),
};
writeFileSync(`${BUILT}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
const [forUsers] = readFileSync('src/node-client/README.md', 'utf8').split('\n## Parts\n');
writeFileSync(`${BUILT}/README.md`, forUsers);
cpSync('LICENSE', `${BUILT}/LICENSE`);
