/** The built page as it is served: what it weighs, how it is kept, and what it may do. */
import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer } from '../../../src/web/server.js';
import { idleBridge } from '../../helpers/web/idle-bridge.js';

const BUILT = new URL('../../../dist/src/web/', import.meta.url);
const ASSETS = readdirSync(new URL('page/assets/', BUILT));
const KB = 1000;

async function startPage(built: URL = BUILT) {
  const { events, sources } = idleBridge();
  const metrics = createMetrics(events, sources);
  const web = await startWebServer({ host: '127.0.0.1', port: 0, sources, metrics, log: SILENT, built });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { statusCode: status, headers: got, body } = await request(web.url + path, { headers });
    return { status, headers: got, bytes: Buffer.from(await body.arrayBuffer()) };
  };
  return { get, [Symbol.asyncDispose]: () => web.close() };
}

describe('the built page', () => {
  const weight = (ending: RegExp): number =>
    ASSETS.filter((name) => ending.test(name))
      .map((name) => gzipSync(readFileSync(new URL(`page/assets/${name}`, BUILT))).length)
      .reduce((sum, bytes) => sum + bytes, 0);

  it('has at most 85 kB of scripts and 12 kB of styles, 10 kB for who checks his split, and no fonts', () => {
    expect(weight(/^(?!audit-).*\.js$/)).toBeGreaterThan(1 * KB);
    expect(weight(/^(?!audit-).*\.js$/)).toBeLessThan(85 * KB);
    expect(weight(/^audit-.*\.js$/)).toBeLessThan(10 * KB);
    expect(weight(/\.css$/)).toBeGreaterThan(0.5 * KB);
    expect(weight(/\.css$/)).toBeLessThan(12 * KB);
    const kinds = new Set(ASSETS.map((name) => name.replace(/^.*\./, '')));
    expect([...kinds].sort()).toEqual(['css', 'js', 'svg']);
  });

  it('has no script, style or handler in its document, and names nothing elsewhere', () => {
    const html = readFileSync(new URL('page/index.html', BUILT), 'utf8');
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)|https?:|data:/);
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
    // What draws charts is loaded with the first chart, what draws QR codes or checks a split once somebody wants that.
    const later = ASSETS.filter((name) => /^(plot|dist|audit)-.*\.js$/.test(name));
    expect(later).toHaveLength(3);
    const first = ASSETS.filter((name) => !later.includes(name));
    expect(named).toEqual(expect.arrayContaining(first.map((name) => `/assets/${name}`)));
  });

  it('tells whose code is in it', () => {
    expect(readFileSync(new URL('page/licenses.md', BUILT), 'utf8')).toMatch(
      /preact[\s\S]*MIT[\s\S]*uplot[\s\S]*MIT/i,
    );
  });
});

describe('the page over HTTP', () => {
  it('is asked for anew, and sent anew only when it is another', async () => {
    await using web = await startPage();
    const { status, headers, bytes } = await web.get('/');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      ...[200, 'text/html; charset=utf-8', 'no-cache'],
    ]);
    expect(bytes).toEqual(readFileSync(new URL('page/index.html', BUILT)));
    const again = await web.get('/', { 'if-none-match': String(headers['etag']) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  it('has files that are kept for good, in the encoding that is asked for', async () => {
    await using web = await startPage();
    for (const name of ASSETS) {
      const bytes = readFileSync(new URL(`page/assets/${name}`, BUILT));
      const ask = (encoding: string) => web.get(`/assets/${name}`, { 'accept-encoding': encoding });
      const plain = await ask('identity, br;q=0');
      expect(plain.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      });
      expect([plain.headers['content-encoding'], plain.bytes]).toEqual([undefined, bytes]);
      const zipped = await ask('gzip, deflate');
      expect([zipped.headers['content-encoding'], gunzipSync(zipped.bytes)]).toEqual(['gzip', bytes]);
      const smaller = await ask('gzip, deflate, br, zstd');
      expect([smaller.headers['content-encoding'], brotliDecompressSync(smaller.bytes)]).toEqual([
        'br',
        bytes,
      ]);
    }
  });

  it('may load from here alone, and be shown nowhere else', async () => {
    await using web = await startPage();
    for (const path of ['/', `/assets/${ASSETS[0]}`]) {
      const { headers } = await web.get(path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
    }
  });

  it('leaves all other paths to those that know them', async () => {
    await using web = await startPage();
    for (const path of ['/index.html', '/assets/', '/assets/nothing.js', '/rigs', '/licenses.md']) {
      const { status, bytes } = await web.get(path);
      expect([status, JSON.parse(String(bytes))]).toEqual([404, { error: `there is nothing at ${path}` }]);
    }
  });

  it('says what to run where it was not built', async () => {
    await using web = await startPage(new URL('../../../src/web/page/', import.meta.url));
    const { status, bytes } = await web.get('/');
    expect(status).toBe(503);
    expect(JSON.parse(String(bytes))).toEqual({ error: expect.stringContaining('npm run build') });
  });

  it('WB5: has the reference of the API beside it, made when the program was built, compressed and kept', async () => {
    await using page = await startPage();
    for (const path of ['/api', '/api/openapi.json', '/api/reference.css']) {
      const { status, headers, bytes } = await page.get(path, { 'accept-encoding': 'br' });
      expect([status, headers['content-encoding'], headers['cache-control']]).toEqual([
        200,
        'br',
        'no-cache',
      ]);
      const plain = await page.get(path);
      expect(brotliDecompressSync(bytes)).toEqual(plain.bytes);
      expect((await page.get(path, { 'if-none-match': String(headers['etag']) })).status).toBe(304);
    }
    const { bytes } = await page.get('/api/openapi.json');
    const committed = readFileSync(new URL('../../../src/web/api/openapi.json', import.meta.url), 'utf8');
    expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(committed));
  });
});
