/**
 * After the compiler: puts what the program loads into few files, with the packages it uses. To find, read and parse 1,300
 * files was half of the start of `serve`. What others import (`exports` of package.json) and what threads run stays as it is.
 */
import { existsSync, rmSync } from 'node:fs';
import { posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, parseSync } from 'vite';

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

const NOT_ASCII = /[^\0-\x7f]/g;

/**
 * V8 keeps one byte for a character of ASCII, and for each of a file two where one of them needs two. `charset` escapes what
 * can be escaped; left are comments, and what String.raw and other tags would see: that must not be there.
 */
const asciiOnly = {
  name: 'ascii-only',
  renderChunk: (code, { fileName }) => {
    if (code.search(NOT_ASCII) === -1) return null;
    const escaped = (text) =>
      text.replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    let [ascii, from] = ['', 0];
    for (const { start, end } of parseSync(fileName, code).comments) {
      ascii += code.slice(from, start) + escaped(code.slice(start, end));
      from = end;
    }
    ascii += code.slice(from);
    const at = ascii.search(NOT_ASCII);
    if (at === -1) return ascii;
    throw new Error(`${fileName} has a character that cannot be escaped: ${ascii.slice(at - 60, at + 20)}`);
  },
};

for (const [folder, names] of Object.entries(ENTRIES)) {
  // An image is built without tests.
  if (!existsSync(pathOf(`../${folder}`))) continue;
  const built = pathOf(`../dist/${folder}`);
  rmSync(`${built}/${CHUNKS}`, { recursive: true, force: true });
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [keepPlaces(folder), asciiOnly],
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
        output: {
          charset: 'ascii',
          entryFileNames: '[name].js',
          chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
        },
      },
    },
  });
}
