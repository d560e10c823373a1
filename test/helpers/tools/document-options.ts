/** How the OpenAPI document of the API falls out of the schemas of its routes; examples are answers that a real bridge gave. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SwaggerOptions } from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { FAULT } from '../../../src/operations/entry/fields.js';
import type { Content, Document, JsonSchema, Schemas } from '../../../src/web/api/document/document.js';
import { ROOT } from '../web/pages.js';

export const EXAMPLES_FILE = join(ROOT, 'src/web/api/examples.json');

const TAGS = [
  { name: 'state', description: 'The bridge as a whole' },
  { name: 'rigs', description: 'Rigs, accounts, sessions and bans' },
  { name: 'books', description: 'Blocks, money and history, from the ledger' },
  { name: 'orders', description: 'What the bridge is told to do' },
];

const TOKEN = {
  type: 'http',
  scheme: 'bearer',
  description:
    'One of web.tokens. read sees everything; operate gives orders to rigs besides, approve prepares payouts, admin does all.',
} as const;

const SESSION = {
  type: 'apiKey',
  in: 'cookie',
  name: 'stratum-bridge-…',
  description:
    'Of a page of this bridge, once somebody has signed in there; its name differs for each bridge',
} as const;

const SIGNED_IN = [{ token: [] }, { session: [] }];

/** What any of them may hear instead of an answer. */
const REFUSALS = { 401: FAULT, 403: FAULT, 429: FAULT };

function withAccess(
  schema: FastifySchema,
  { method, config }: Pick<RouteOptions, 'method' | 'config'>,
): FastifySchema {
  const isRead = [method].flat().every((each) => each === 'GET' || each === 'HEAD');
  const access = config?.access ?? (isRead ? 'read' : 'admin');
  const security = { anonymous: [{}], miner: [{}, ...SIGNED_IN] }[access as string] ?? SIGNED_IN;
  const response = { ...(schema.response as object), ...REFUSALS };
  return { ...schema, response, security, 'x-access': access } as FastifySchema;
}

/** @param version of this program. */
export function documentOptions(version: string): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'stratum-bridge', version, license: { name: 'MIT', identifier: 'MIT' } },
      tags: TAGS,
      components: { securitySchemes: { token: TOKEN, session: SESSION } },
    },
    // What has no schema is for machines that know it: health and metrics.
    transform: (input) =>
      input.schema
        ? jsonSchemaTransform({ ...input, schema: withAccess(input.schema, input.route) })
        : { schema: { hide: true }, url: input.url },
    transformObject: (made) => {
      const document = jsonSchemaTransformObject(made);
      const { paths, components } = document as unknown as Document;
      addExamples(paths);
      const schemas = usedBy(paths, components?.schemas ?? {});
      return { ...document, components: { ...components, schemas } } as typeof document;
    },
  };
}

/** By method and path: `GET /api/v1/summary`; what an order takes: `POST /api/v1/bans asked`. */
type Examples = Readonly<Record<string, unknown>>;

function addExamples(paths: Document['paths']): void {
  const examples = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as Examples;
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { requestBody, responses }] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      addExample(requestBody?.content['application/json'], examples[`${name} asked`]);
      addExample(responses['200']?.content?.['application/json'], examples[name]);
    }
}

function addExample(content: Content[string] | undefined, example: unknown): void {
  if (content && example !== undefined) content.example = example;
}

/** Every schema is made for questions and for answers; most are used for one of them. */
function usedBy(paths: object, schemas: Schemas): Schemas {
  const used: Record<string, JsonSchema> = {};
  const look = (part: object): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name];
      if (!schema || used[name]) continue;
      used[name] = schema;
      look(schema);
    }
  };
  look(paths);
  return Object.fromEntries(Object.entries(used).sort(([one], [other]) => (one < other ? -1 : 1)));
}
