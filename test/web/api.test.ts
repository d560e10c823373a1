/** The API as a whole: its document, its reference page, and what it says to requests that are wrong. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import fc from 'fast-check';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import type { Document } from '../../src/web/api/document/document.js';
import { createMetrics } from '../../src/web/metrics/metrics.js';
import { startWebServer } from '../../src/web/server.js';
import { DOCUMENT_FILE, documentOfRoutes } from '../helpers/tools/api-document.js';
import { EXAMPLES_FILE } from '../helpers/tools/document-options.js';
import { exampledOf } from '../helpers/web/api-examples.js';
import { DocumentCheck } from '../helpers/web/document-check.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { bearer, READ, RULES } from '../helpers/web/operators.js';

const COMMITTED = JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')) as Document;
const EXAMPLES = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as Record<string, unknown>;
const PATHS = Object.keys(COMMITTED.paths);
/** What is answered in JSON, and needs no name in its path. */
const PLAIN = PATHS.filter(
  (path) =>
    COMMITTED.paths[path]?.['get']?.responses['200']?.content?.['application/json'] && !path.includes('{'),
);

const NO_ACCOUNT = /^account is the name of an account: at most 128 bytes in UTF-8, .*, not "./;

/** Of queries, of any path. */
const PARAMETERS = [
  ...new Set(
    PLAIN.flatMap((path) => COMMITTED.paths[path]?.['get']?.parameters ?? []).map(({ name }) => name),
  ),
];

const BUILT = new URL('../../dist/src/web/', import.meta.url);

async function startApi() {
  const { events, sources } = idleBridge();
  const metrics = createMetrics(events, sources);
  const access = () => RULES;
  const web = await startWebServer({
    host: '127.0.0.1',
    port: 0,
    sources,
    metrics,
    log: SILENT,
    access,
    built: BUILT,
  });
  const get = async (path: string) => {
    const {
      statusCode: status,
      headers,
      body,
    } = await request(web.url + path, {
      headers: bearer(READ),
    });
    return { status, headers, text: await body.text() };
  };
  return { url: web.url, get, [Symbol.asyncDispose]: () => web.close() };
}

describe('the document of the API', () => {
  it('is the one that is kept, so that a change is seen in review (`npm run api` writes it)', async () => {
    expect(await documentOfRoutes()).toEqual(COMMITTED);
    expect(COMMITTED).toMatchObject({ openapi: '3.1.0', info: { title: 'stratum-bridge' } });
  });

  it('has for every list, state and order an answer that a real bridge gave, as its schema says', () => {
    const check = new DocumentCheck(COMMITTED);
    const answers = Object.keys(EXAMPLES).filter((name) => !name.endsWith(' asked'));
    expect(answers.sort()).toEqual(exampledOf(COMMITTED).sort());
    for (const name of answers) {
      const [method = '', path = ''] = name.split(' ');
      check.answer(method, path, 200, EXAMPLES[name]);
    }
  });

  it('has for every order what it was asked', () => {
    const check = new DocumentCheck(COMMITTED);
    const taken = Object.entries(COMMITTED.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) =>
        requestBody ? [{ method: method.toUpperCase(), path }] : [],
      ),
    );
    expect(taken.length).toBeGreaterThan(5);
    for (const { method, path } of taken) check.question(method, path, EXAMPLES[`${method} ${path} asked`]);
  });

  it('says in every field that is not told by its name what it holds', () => {
    for (const [name, { properties = {} }] of Object.entries(COMMITTED.components?.schemas ?? {}))
      expect(Object.keys(properties).length, name).toBeGreaterThan(0);
    for (const operations of Object.values(COMMITTED.paths))
      for (const { summary, tags } of Object.values(operations))
        expect([summary, tags]).not.toContain(undefined);
  });
});

describe('the reference page', () => {
  it('shows each path and schema, and may run nothing', async () => {
    await using api = await startApi();
    const { status, headers, text } = await api.get('/api');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("default-src 'self'");
    expect(text).not.toMatch(/<script| style=| on\w+=/);
    for (const path of PATHS) expect(text).toContain(path);
    for (const name of Object.keys(COMMITTED.components?.schemas ?? {}))
      expect(text).toContain(`id="${name}"`);
    const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, name]) => name);
    expect(targets.filter((name) => !text.includes(`id="${name}"`))).toEqual([]);
    const style = await api.get('/api/reference.css');
    expect([style.status, style.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
  });
});

describe('requests that are wrong', () => {
  it('get an answer of one shape, whatever is asked', async () => {
    await using api = await startApi();
    const check = new DocumentCheck(COMMITTED);
    const value = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.constantFrom('', '0', '1', 'null', 'x'.repeat(500)),
    );
    const path = fc.constantFrom(...PLAIN);
    const named = fc.oneof(
      fc.constantFrom(...PARAMETERS, '__proto__', 'constructor'),
      fc.string({ maxLength: 20 }),
    );
    const queries = fc.array(fc.tuple(named, value), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(path, queries, async (asked, query) => {
        const words = query.map(
          ([name, given]) => `${encodeURIComponent(name)}=${encodeURIComponent(given)}`,
        );
        const { status, text } = await api.get(`${asked}?${words.join('&')}`);
        check.answer('GET', asked, status, JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['nonsense\r\n\r\n', 400, 'what came is no HTTP request'],
    [
      `GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(70_000)}\r\n\r\n`,
      431,
      'the head of the request is too long',
    ],
    [
      'GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
      'what came is no HTTP request',
    ],
  ])('get it as bytes that are none, too: %j', async (bytes, status, error) => {
    await using api = await startApi();
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(bytes);
    let told = '';
    socket.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    // With what it has not read, the server may end by a reset.
    await new Promise((resolve) => socket.once('close', resolve));
    const [head = '', body = ''] = told.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(body)).toEqual({ error });
  });

  it.each([
    ['/api/v1/nothing', 404, 'there is nothing at /api/v1/nothing'],
    ['/api/v1/rigs/%', 400, /./],
    [`/api/v1/rigs/${'x'.repeat(129)}`, 400, NO_ACCOUNT],
    [`/api/v1/rigs/${'x'.repeat(129)}/r`, 400, NO_ACCOUNT],
    [`/api/v1/rigs/${encodeURIComponent('ä'.repeat(65))}`, 400, NO_ACCOUNT],
    [`/api/v1/rigs/a/${'x'.repeat(65)}`, 400, /^rig is the name of a rig: at most 64 bytes in UTF-8/],
    [`/api/v1/accounts/${'x'.repeat(129)}`, 400, NO_ACCOUNT],
    [`/api/v1/accounts/${'x'.repeat(10_000)}`, 400, NO_ACCOUNT],
    [`/api/v1/rigs/${'x'.repeat(128)}/${'x'.repeat(64)}`, 404, /^the account x+ has no rig x+: it is not/],
    [`/${'x'.repeat(300)}`, 404, `there is nothing at /${'x'.repeat(199)}`],
  ])('%s', async (path, status, says) => {
    await using api = await startApi();
    const answer = await api.get(path);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({
      error: says instanceof RegExp ? expect.stringMatching(says) : says,
    });
  });
});
