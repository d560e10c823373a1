/** The table of endpoints against the document it is made of, and the OpenAPI document that is made of it. */
import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { type Endpoint, pathOf, queryOf } from '../../src/chain/endpoint.js';
import { ENDPOINT_KEYS, ENDPOINTS } from '../../src/chain/endpoints.js';
import { openApiDocument } from '../../src/chain/openapi.js';
import { readVersion } from '../../src/config/version.js';
import { readVectors, vectorsArePresent } from '../helpers/runner/vectors.js';
import { NODE_DOCUMENT_FILE } from '../helpers/tools/api-document.js';

interface Media {
  readonly schema: object;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Media>> }>>;
}
interface Document {
  readonly components: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Public {
  readonly path: string;
  readonly method: string;
  readonly query: readonly string[];
  readonly request: readonly Content[];
  readonly responses: readonly (Content & { readonly status: number })[];
}
interface Content {
  readonly contentType: string | null;
  readonly examples: readonly { readonly name: string; readonly value: unknown }[];
}

const table = ENDPOINT_KEYS.map((key): [string, Endpoint] => [key, ENDPOINTS[key]]);
const document = openApiDocument(readVersion()) as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    operation.operationId === undefined ? [] : [[`${method.toUpperCase()} ${path}`, operation] as const],
  ),
);

/** With what it refers to. */
const whole = (schema: object): object => ({ ...schema, components: document.components });
/** The example of one batch holds each payload in another object; no node was seen to. */
const unwrapped = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((one) => (Object(one) as { value?: unknown }).value ?? one) : value;

/** Outside of the repository, as are the vectors. */
const INTERFACE = new URL('../../../shared/node-interface.md', import.meta.url);
const hasInterface = existsSync(INTERFACE);

describe('the table', () => {
  it.skipIf(!hasInterface)(
    'has every endpoint of the document, and besides those of cut, peers and commands alone',
    () => {
      const text = readFileSync(INTERFACE, 'utf8');
      const written = [...text.matchAll(/\*\*(GET|POST|PUT) \{(?:base_url|hostname)\}(\S+?)\*\*/g)];
      const named = written.map(([, method, path]) => `${method} ${path?.replace('\\_', '_')}`);
      const own = table.map(([, { method, path }]) => `${method} ${path}`);
      expect(named.length).toBeGreaterThan(20);
      expect(own.filter((one) => !named.includes(one)).sort()).toEqual([
        'GET /chain/{chain}/mempool/peer',
        'GET /cut',
        'GET /cut/peer',
        ...['listen', 'local', 'poll', 'send'].map((name) => `POST /chain/{chain}/pact/api/v1/${name}`),
        'POST /chain/{chain}/pact/spv',
        'PUT /chain/{chain}/mempool/peer',
        'PUT /cut',
        'PUT /cut/peer',
      ]);
      expect(named.filter((one) => !own.includes(one))).toEqual([]);
    },
  );

  it('makes paths and queries, and refuses what cannot stand there', () => {
    const { header, headers } = ENDPOINTS;
    const hash = 'A'.repeat(43);
    expect(pathOf(header, { chain: 19, blockHash: hash })).toBe(`/chain/19/header/${hash}`);
    expect(queryOf(headers, { limit: 3, next: `inclusive:${hash}`, minheight: undefined })).toBe(
      `?limit=3&next=inclusive%3A${hash}`,
    );
    expect(() => pathOf(header, { chain: 20, blockHash: hash })).toThrow(
      'chain must be a whole number from 0 to 19',
    );
    expect(() => pathOf(header, { chain: 1 })).toThrow('blockHash must be 43 characters');
    expect(() => queryOf(headers, { limit: 1.5 })).toThrow('limit must be');
    expect(() => queryOf(headers, { next: 'elsewhere' })).toThrow('next must be inclusive:<key>');
  });
});

describe('the OpenAPI document', () => {
  it('has every endpoint of the table', () => {
    expect(operations.map(([, { operationId }]) => operationId).sort()).toEqual([...ENDPOINT_KEYS].sort());
    for (const [key, { method, path, status, query }] of table) {
      const operation = document.paths[path]?.[method.toLowerCase()];
      expect(operation?.operationId).toBe(key);
      expect(Object.keys(operation?.responses ?? {})).toContain(String(status));
      const inQuery = operation?.parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      expect(inQuery).toEqual(Object.keys(query));
    }
  });

  it('is the file in the package (else: npm run api)', () => {
    expect(JSON.parse(readFileSync(NODE_DOCUMENT_FILE, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(document)),
    );
  });

  it('has schemas that a validator takes', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const schemas = operations.flatMap(([, { responses }]) =>
      Object.values(responses).flatMap(({ content }) => Object.values(content).map(({ schema }) => schema)),
    );
    expect(schemas.length).toBeGreaterThan(40);
    for (const schema of schemas) ajv.compile(whole(schema));
  });
});

/** The public description of real nodes, where it speaks of the same paths; what differs is named. */
describe('beside the public description', { tags: ['vectors'] }, () => {
  const { endpoints } = vectorsArePresent
    ? readVectors<{ endpoints: readonly Public[] }>('interface-examples')
    : { endpoints: [] };
  /** There one path is written with a base. */
  const given = endpoints.map((one): [string, Public] => [
    `${one.method} ${one.path.replace('/chainweb/0.0/mainnet01', '')}`,
    one,
  ]);

  it('has the same endpoints', () => {
    // Commands have a description of their own.
    const own = operations.map(([key]) => key).filter((key) => !key.includes('/pact/'));
    expect(own.sort()).toEqual(given.map(([key]) => key).sort());
  });

  it('has the same queries and successes, but for what is named here', () => {
    for (const [key, { query, responses }] of given) {
      const operation = operations.find(([own]) => own === key)?.[1];
      const own = operation?.parameters.filter((one) => one.in === 'query').map(({ name }) => name) ?? [];
      // The chain is a wish, which real nodes understand and neither description names.
      expect(own.filter((name) => name !== 'chain').sort(), key).toEqual([...query].sort());
      const success = responses.filter(({ status }) => status < 300);
      expect(
        success.every(({ status }) => operation?.responses[status] !== undefined),
        key,
      ).toBe(true);
      for (const { status, contentType } of success) {
        const types = Object.keys(operation?.responses[status]?.content ?? {});
        if (contentType !== null) expect(types, `${key} ${status}`).toContain(contentType);
      }
    }
  });

  it('takes each of its examples', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    let count = 0;
    for (const [key, { responses, request }] of given) {
      const operation = operations.find(([own]) => own === key)?.[1];
      const examples = [
        ...responses.map((one) => ({ ...one, media: operation?.responses[one.status]?.content })),
        // The cut that is shown to be offered lacks its origin, which both descriptions want.
        ...(key === 'PUT /cut' ? [] : request).map((one) => ({
          ...one,
          media: operation?.requestBody?.content,
        })),
      ];
      for (const { contentType, media, examples: list } of examples) {
        const schema = media?.[contentType ?? '']?.schema;
        if (!contentType?.startsWith('application/json') || !schema) continue;
        const validate = ajv.compile(whole(schema));
        for (const { name, value } of list) {
          count++;
          expect(validate(unwrapped(value)) ? [] : validate.errors, `${key} ${contentType} ${name}`).toEqual(
            [],
          );
        }
      }
    }
    expect(count).toBeGreaterThan(30);
  });
});
