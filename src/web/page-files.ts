/** The page at `/`, as it was built: read once, compressed once for each encoding, served from memory. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Beside this module once it is built (`.ci/page.js`). */
const BUILT = new URL('page/', import.meta.url);
const DOCUMENT = 'index.html';
/** What has a hash of its content in its name; the folder of the sources has none. */
const HASHED = 'assets/';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const HEADERS = {
  'content-security-policy':
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  vary: 'accept-encoding',
};
const FOR_GOOD = 'public, max-age=31536000, immutable';

const ENCODERS = {
  // Above this it takes ten times as long for a hundredth less.
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};
type Encoding = keyof typeof ENCODERS;
/** The smaller first. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip'];

interface PageFile {
  /** Below `/`. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoded: Map<Encoding, Promise<Buffer>>;
}

/** It tells nothing: what it shows it asks of the API. */
const PUBLIC = { config: { audience: 'everyone' } } as const;

/** @param folder of the built page, with a slash at its end. */
export function addPage(app: FastifyInstance, folder: URL = BUILT): void {
  const files = readBuilt(folder);
  if (files.length === 0) {
    const error = 'the page is not built here: `npm run build` makes it. The API is at /api';
    app.get('/', PUBLIC, (_request, reply) => reply.code(503).send({ error }));
  }
  for (const file of files) app.get(file.path, PUBLIC, (request, reply) => send(file, request, reply));
}

/** None where the page was not built: its sources have a document too. */
function readBuilt(folder: URL): PageFile[] {
  let names: string[];
  try {
    names = readdirSync(new URL(HASHED, folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return [DOCUMENT, ...names.map((name) => `${HASHED}${name}`)].map((name) =>
    pageFile(name, readFileSync(new URL(name, folder))),
  );
}

function pageFile(name: string, bytes: Buffer): PageFile {
  const isDocument = name === DOCUMENT;
  return {
    path: isDocument ? '/' : `/${name}`,
    bytes,
    headers: {
      ...HEADERS,
      'content-type': TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      'cache-control': isDocument ? 'no-cache' : FOR_GOOD,
      // Weak: it is the same for every encoding.
      etag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    },
    encoded: new Map(),
  };
}

async function send(
  { bytes, headers, encoded }: PageFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  reply.headers(headers);
  if (request.headers['if-none-match'] === headers['etag']) return reply.code(304).send();
  const encoding = bestEncoding(request.headers['accept-encoding']);
  if (!encoding) return reply.send(bytes);
  const ready = encoded.get(encoding) ?? ENCODERS[encoding](bytes);
  encoded.set(encoding, ready);
  return reply.header('content-encoding', encoding).send(await ready);
}

function bestEncoding(header: string | string[] | undefined): Encoding | undefined {
  const taken = String(header ?? '')
    .toLowerCase()
    .split(',')
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.replace(/;.*/, '').trim());
  return ENCODINGS.find((encoding) => taken.includes(encoding));
}
