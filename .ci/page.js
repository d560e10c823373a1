/** After the compiler: builds the page that the bridge serves at `/`. */
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

/** A chunk that is loaded later has neither styles nor others of its own: nothing is to be loaded ahead of it. */
const withoutPreload = {
  name: 'without-preload',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load();' : null,
};

/** Ways to draw that no chart here uses: uPlot hangs them onto itself, so that the bundler cannot know. */
const UNUSED_OF_UPLOT = [
  '(paths.stepped = stepped);',
  '(paths.spline  = monotoneCubic);',
  'uPlot.join = join;',
];

const withoutUnused = {
  name: 'without-unused',
  transform(code, id) {
    if (!id.endsWith('uPlot.esm.js')) return null;
    const missing = UNUSED_OF_UPLOT.filter((line) => !code.includes(line));
    if (missing.length > 0) throw new Error(`uPlot has changed: it has no ${missing.join(' and no ')}`);
    return { code: UNUSED_OF_UPLOT.reduce((left, line) => left.replace(line, ''), code), map: null };
  },
};

await build({
  root: pathOf('../src/web/page'),
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  oxc: {
    // Children as arguments, and not as a property by its name at each element: less to load.
    jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
    jsxInject: "import { h, Fragment } from 'preact';",
  },
  plugins: [renderAfterScript, withoutPreload, withoutUnused],
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
