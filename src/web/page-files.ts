/** The page at `/` and the reference of the API, as they were built: read once, compressed once for each encoding, served from memory. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Beside this module once they are built: by `.ci/page.js`, and by `.ci/assets.js`. */
const BUILT = new URL('./', import.meta.url);
const REFERENCE = {
  '/api': 'reference/index.html',
  '/api/reference.css': 'reference/reference.css',
  '/api/openapi.json': 'reference/openapi.json',
};
/** What has a hash of its content in its name; the folder of the sources has none. */
const HASHED = 'assets/';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
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

/** The page tells nothing: what it shows it asks of the API. The reference tells of the program, as its sources do. */
const PUBLIC = { config: { access: 'anonymous' } } as const;

/** @param built folder in which the page was built, with a slash at its end. */
export function addPage(app: FastifyInstance, built: URL = BUILT): void {
  const files = readPage(built);
  const error = 'the page is not built here: `npm run build` makes it';
  if (files.length === 0) app.get('/', PUBLIC, (_request, reply) => reply.code(503).send({ error }));
  addFiles(app, files);
}

/** Nothing where it was not built. @param built as above. */
export function addReference(app: FastifyInstance, built: URL = BUILT): void {
  const files = Object.entries(REFERENCE).filter(([, name]) => existsSync(new URL(name, built)));
  addFiles(
    app,
    files.map(([path, name]) => fileAt(path, name, built)),
  );
}

function addFiles(app: FastifyInstance, files: readonly PageFile[]): void {
  for (const file of files) app.get(file.path, PUBLIC, (request, reply) => send(file, request, reply));
}

/** None where the page was not built: its sources have a document too. */
function readPage(built: URL): PageFile[] {
  let names: string[];
  try {
    names = readdirSync(new URL(`page/${HASHED}`, built));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return [
    fileAt('/', 'page/index.html', built),
    ...names.map((name) => fileAt(`/${HASHED}${name}`, `page/${HASHED}${name}`, built, FOR_GOOD)),
  ];
}

function fileAt(path: string, name: string, built: URL, cacheControl = 'no-cache'): PageFile {
  const bytes = readFileSync(new URL(name, built));
  return {
    path,
    bytes,
    headers: {
      ...HEADERS,
      'content-type': TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      'cache-control': cacheControl,
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
