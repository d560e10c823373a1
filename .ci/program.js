/**
 * After the compiler: puts what the program loads into few files, with the packages it uses. To find, read and parse 1,300
 * files was half of the start of `serve`. What others import (`exports` of package.json) and what threads run stays as it is.
 */
import { existsSync, rmSync } from 'node:fs';
import { posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/** What Node.js is started with, by folder; of the tests what they kill and start again and again. */
const ENTRIES = {
  src: ['main'],
  test: ['queue/crashing-bridge', 'queue/recorder-process', 'queue/rigs-process'],
};
const CHUNKS = 'chunks';

/** They start threads from files of theirs, or load native code: they are found in node_modules, the last where it is. */
const WITH_FILES_OF_THEIRS = ['lmdb', 'pino', 'pino-pretty', 'pino-roll', 'piscina', 'msgpackr-extract'];

const PLACE = /__PLACE_OF__\("([^"]+)"\)/g;

/** A module of ours names what lies beside it from the place that the compiler gave it. */
const keepPlaces = (folder) => ({
  name: 'keep-places',
  enforce: 'pre',
  transform: (code, id) => {
    if (id.includes('/node_modules/')) return null;
    const place = relative(pathOf(`../${folder}`), id).replaceAll(sep, '/');
    return code.replaceAll('import.meta.url', `__PLACE_OF__("${place}")`);
  },
  renderChunk: (code, { fileName }) =>
    code.replace(PLACE, (_, place) => {
      const path = posix.relative(posix.dirname(fileName), place);
      return `new URL("${path}", import.meta.url).href`;
    }),
});

for (const [folder, names] of Object.entries(ENTRIES)) {
  // An image is built without tests.
  if (!existsSync(pathOf(`../${folder}`))) continue;
  const built = pathOf(`../dist/${folder}`);
  rmSync(`${built}/${CHUNKS}`, { recursive: true, force: true });
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [keepPlaces(folder)],
    ssr: { noExternal: true, external: WITH_FILES_OF_THEIRS },
    build: {
      ssr: true,
      target: 'node20.19',
      outDir: built,
      emptyOutDir: false,
      // It is read by people, where it fails.
      minify: false,
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        input: Object.fromEntries(names.map((name) => [name, pathOf(`../${folder}/${name}.ts`)])),
        output: { entryFileNames: '[name].js', chunkFileNames: `${CHUNKS}/[name]-[hash].js` },
      },
    },
  });
}
