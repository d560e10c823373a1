/** What the API says when it cannot answer: one shape, and a sentence that names what is wrong. */
import type { FastifyError, FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import { BooksAwayError } from '../../bridge/watch/books-watch.js';
import type { Log } from '../../core/names/log.js';
import { KnownPaths } from './known-paths.js';

/** Of what came from outside, no more is said back. */
const MAX_ECHO = 40;

/** A part that is away, or has too many who ask, is asked again soon, and not at once by all. */
const RETRY_AFTER_SECONDS = 1;

export function tellFaults(app: FastifyInstance, log: Log): void {
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // What is wrong with the request, such as a body that is no JSON.
    if (error.statusCode && error.statusCode < 500)
      return reply.code(error.statusCode).send({ error: error.message });
    // It is told by the ledger's own words in the log.
    if (error instanceof BooksAwayError) return reply.code(503).send({ error: error.message });
    log.error(
      { url: pathOf(request), error: error.message, cause: String(error.cause ?? '') },
      'a web request failed',
    );
    return reply.code(500).send({ error: 'this request failed; the log says why' });
  });
  const known = new KnownPaths(app);
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const methods = known.methodsOf(path);
    if (methods.length === 0 || methods.includes(request.method))
      return reply.code(404).send({ error: `there is nothing at ${path}` });
    const takes = methods.join(', ');
    return reply
      .code(405)
      .header('allow', takes)
      .send({ error: `${path} takes ${takes} and not ${request.method}` });
  });
}

/** Without its query, which may hold what nobody else is to see. */
function pathOf({ url }: FastifyRequest): string {
  return (url.split('?')[0] ?? '').slice(0, 200);
}

/** Checks path, query and body by their schemas. */
export function checkRequest({ schema }: { schema: FastifySchema | z.ZodType }) {
  return (value: unknown) => {
    const read = (schema as z.ZodType).safeParse(value);
    if (read.success) return { value: read.data };
    const [issue] = read.error.issues;
    return { error: new Error(issue ? sentenceOf(issue, schema as z.ZodType, value) : read.error.message) };
  };
}

function sentenceOf(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown): string {
  if (issue.code === 'unrecognized_keys') {
    return `there is no parameter ${shown(issue.keys[0])}, only ${listed(namesIn(schema, value))}`;
  }
  const given = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
  const place = issue.path.join('.') || 'what was sent';
  return `${place} is ${issue.message}, not ${shown(given)}`;
}

/** Of the choice that was made, where there are several. */
function namesIn(schema: z.core.$ZodType, value: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return [];
  const { discriminator } = schema.def;
  const word = (value as Record<string, unknown>)[discriminator];
  const isChosen = (each: z.core.$ZodType): boolean =>
    each instanceof z.ZodObject && each.shape[discriminator].safeParse(word).success;
  const chosen = schema.options.find(isChosen);
  return chosen ? namesIn(chosen, value) : [];
}

function listed(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1') || 'none';
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, MAX_ECHO);
}
