/** The OpenAPI document of a node, made of the table of endpoints. */
import { z } from 'zod';
import { commandModel, commandResultModel } from './command-models.js';
import {
  BYTES_TYPE,
  type ByPort,
  type Encoding,
  type Endpoint,
  JSON_TYPE,
  pathParameters,
  TEXT_TYPE,
} from './endpoint.js';
import { ENDPOINT_KEYS, ENDPOINTS } from './endpoints.js';
import {
  blockModel,
  cutModel,
  headerModel,
  infoModel,
  integerModel,
  minerModel,
  notFoundModel,
  pageModel,
  payloadModel,
  payloadWithOutputsModel,
  peerModel,
} from './models.js';
import { PARAMETERS, type ParameterKind } from './parameters.js';

type Json = Readonly<Record<string, unknown>>;

const AS_SENT: z.core.ToJSONSchemaParams = {
  io: 'input',
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }) => {
    if (zodSchema === integerModel) {
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: 'integer', format: 'int64' });
    }
    // Of our numbers, not of the interface.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  },
};
const NAMED: Readonly<Record<string, z.ZodType>> = {
  Header: headerModel,
  Payload: payloadModel,
  PayloadWithOutputs: payloadWithOutputsModel,
  Block: blockModel,
  Cut: cutModel,
  Peer: peerModel,
  Page: pageModel,
  Miner: minerModel,
  Info: infoModel,
  NotFound: notFoundModel,
  Command: commandModel,
  CommandResult: commandResultModel,
};
const ROOT = 'http://127.0.0.1:1848';
/** Of what the interface does not show. */
const SOURCES: Readonly<Record<string, string>> = {
  D: 'As real nodes were found to have it.',
  T: 'As real nodes were found to have it.',
};
/** Of every answer, whatever its status. */
const HEADERS: Json = {
  'x-server-timestamp': {
    description: 'clock of the node, seconds since the epoch',
    schema: { type: 'integer' },
  },
  'x-peer-addr': { description: 'the client as the node sees it: host and port', schema: { type: 'string' } },
  'x-ledger-node-version': { description: 'version of the software', schema: { type: 'string' } },
};
const HEADER_REFS = Object.fromEntries(
  Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** @param version of the software that serves it. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const key of ENDPOINT_KEYS) {
    const endpoint: Endpoint = ENDPOINTS[key];
    paths[endpoint.path] = {
      ...(paths[endpoint.path] ?? (endpoint.at === 'root' ? { servers: [{ url: ROOT }] } : {})),
      [endpoint.method.toLowerCase()]: operationOf(key, endpoint),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Node of a multi-chain ledger',
      version,
      description: 'Made of the table by which the node client asks and the development node serves.',
    },
    servers: [{ url: `${ROOT}/chainweb/0.0/development` }],
    paths,
    components: { headers: HEADERS, schemas: namedSchemas() },
  };
}

function operationOf(key: string, endpoint: Endpoint): Json {
  const { section, summary, port, needs, body, most, mostBounds } = endpoint;
  const where = port === 'both' ? '' : ` Real nodes serve it on their ${port} port only.`;
  const switched = needs === undefined ? '' : ` Only where ${needs} is enabled.`;
  return {
    operationId: key,
    summary,
    description: [
      `${SOURCES[section] ?? `Section ${section} of the interface.`}${where}${switched}`,
      ...(most ? [limitOf('items', most)] : []),
      ...(mostBounds ? [limitOf('bounds of each kind', mostBounds)] : []),
    ].join(' '),
    parameters: [
      ...pathParameters(endpoint.path).map(([name, kind]) => parameter('path', name, kind)),
      ...Object.entries(endpoint.query).map(([name, kind]) => parameter('query', name, kind)),
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { [body.type]: bodyOf(body) } } }),
    responses: {
      [endpoint.status]: { description: summary, headers: HEADER_REFS, content: contentOf(endpoint) },
      ...Object.fromEntries(
        Object.entries(endpoint.refusals).map(([status, when]) => [status, refusal(endpoint, status, when)]),
      ),
    },
  };
}

function limitOf(what: string, { service, peer }: ByPort): string {
  const elsewhere = peer === service ? '' : ` (${peer} on the peer port of real nodes)`;
  return `At most ${service} ${what}${elsewhere}.`;
}

function parameter(place: 'path' | 'query', name: string, kind: ParameterKind): Json {
  return { name, in: place, required: place === 'path', schema: PARAMETERS[kind].schema };
}

function bodyOf(body: NonNullable<Endpoint['body']>): Json {
  return body.type === BYTES_TYPE ? { schema: { description: body.says } } : { schema: schemaOf(body.model) };
}

function contentOf(endpoint: Endpoint): Json {
  return Object.fromEntries(endpoint.encodings.map((type) => [type, { schema: answerOf(endpoint, type) }]));
}

function answerOf({ model, item, events }: Endpoint, type: Encoding): Json {
  if (events) return { type: 'string', description: `events: ${events.join(', ')}` };
  if (type === TEXT_TYPE) return { type: 'string' };
  if (type === BYTES_TYPE) return {};
  const one = item ?? model;
  // Headers are texts but for those who ask for objects.
  const isText = type === JSON_TYPE && isHeader(one);
  const schema = isText ? { type: 'string', contentEncoding: 'base64url' } : schemaOf(one);
  return item === undefined ? schema : pageOf(schema);
}

function isHeader(model: z.ZodType): boolean {
  return model === ENDPOINTS.header.model;
}

function pageOf(items: Json): Json {
  return { allOf: [{ $ref: refOf('Page') }, { properties: { items: { type: 'array', items } } }] };
}

/** 404 of payloads, hashes and headers has a key and a reason, others say it in a sentence. */
function refusal({ path, encodings }: Endpoint, status: string, description: string): Json {
  const hasKey = status === '404' && path.startsWith('/chain/') && encodings[0] === JSON_TYPE;
  const content = hasKey
    ? { [JSON_TYPE]: { schema: schemaOf(notFoundModel) } }
    : { [TEXT_TYPE]: { schema: { type: 'string' } } };
  return { description, headers: HEADER_REFS, content };
}

/** What is sent, before it is read; what has a name, by it. */
function schemaOf(model: z.ZodType): Json {
  const name = Object.keys(NAMED).find((one) => NAMED[one] === model);
  if (name !== undefined) return { $ref: refOf(name) };
  if (model instanceof z.ZodArray && model.element instanceof z.ZodType)
    return { type: 'array', items: schemaOf(model.element) };
  return bare(z.toJSONSchema(model, AS_SENT));
}

function namedSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, model] of Object.entries(NAMED)) registry.add(model, { id });
  const { schemas } = z.toJSONSchema(registry, { ...AS_SENT, uri: refOf });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]));
}

function refOf(name: string): string {
  return `#/components/schemas/${name}`;
}

function bare({ $schema: _, $id: __, id: ___, ...schema }: Json): Json {
  return schema;
}
