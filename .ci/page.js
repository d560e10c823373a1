/** After the compiler: builds the page that the bridge serves at `/` from src/web/page. */
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The first paint waits for the script, which knows the theme that was chosen: no flash of the other one. */
const renderAfterScript = {
  name: 'render-after-script',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replace('<script type="module"', '<script type="module" blocking="render"'),
  },
};

await build({
  root: pathOf('../src/web/page'),
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [renderAfterScript],
  build: {
    outDir: pathOf('../dist/src/web/page'),
    emptyOutDir: true,
    // What has `light-dark()`: all browsers since May 2024.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // A file of its own for each, as the policy of the page takes no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
  },
});
