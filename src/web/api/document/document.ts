/** The OpenAPI document of the API. It falls out of the schemas of the routes; examples are answers that a real bridge gave. */
import { readFileSync } from 'node:fs';
import type { SwaggerOptions } from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { Audience } from '../../access/standing.js';
import { FAULT } from '../schemas/fields.js';

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
    'web.tokens.admin reads and gives orders, web.tokens.read reads, web.tokens.approve reads and prepares, approves, rejects and pauses payouts. On this machine reads need none',
} as const;

/** Whom an operation answers; `admins` are those who have the admin token. */
export type Asked = Audience | 'admins';

const SECURITY: Readonly<Record<Asked, readonly Readonly<Record<string, string[]>>[]>> = {
  everyone: [{}],
  miners: [{}, { token: [] }],
  operators: [{ token: [] }],
  machine: [{}, { token: [] }],
  approvers: [{ token: [] }],
  owners: [{}],
  admins: [{ token: [] }],
};

/** What any of them may hear instead of an answer. */
const REFUSALS = { 401: FAULT, 403: FAULT, 429: FAULT };

function withAccess(
  schema: FastifySchema,
  { method, config }: Pick<RouteOptions, 'method' | 'config'>,
): FastifySchema {
  const audience = config?.audience ?? 'operators';
  const isRead = [method].flat().every((each) => each === 'GET' || each === 'HEAD');
  const asked: Asked = isRead || audience !== 'operators' ? audience : 'admins';
  const response = { ...(schema.response as object), ...REFUSALS };
  return { ...schema, response, security: SECURITY[asked], 'x-audience': asked } as FastifySchema;
}

/** @param version of this program. */
export function documentOptions(version: string): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'stratum-bridge', version, license: { name: 'MIT', identifier: 'MIT' } },
      tags: TAGS,
      components: { securitySchemes: { token: TOKEN } },
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

/** The part of an OpenAPI document that is made and read here. */
export interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

type Schemas = Readonly<Record<string, JsonSchema>>;

export interface Operation {
  readonly 'x-audience'?: Asked;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema; example?: unknown }>>;

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: unknown;
}

/** By method and path: `GET /api/v1/summary`; what an order takes: `POST /api/v1/bans asked`. */
type Examples = Readonly<Record<string, unknown>>;

const EXAMPLES = new URL('../examples.json', import.meta.url);

function addExamples(paths: Document['paths']): void {
  const examples = JSON.parse(readFileSync(EXAMPLES, 'utf8')) as Examples;
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
