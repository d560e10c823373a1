/** What may stand in paths and queries, and how a value that may not is refused: the same words before it is sent and where it arrives. */
import type { z } from 'zod';
import { MOST_CHAINS } from '../core/work/chain-ids.js';
import { CURSOR, HASH, SENTENCE } from './models.js';

interface Kind {
  /** Completes "must be". */
  readonly says: string;
  readonly fits: (text: string) => boolean;
  /** As JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
}

const GREATEST_CHAIN = MOST_CHAINS - 1;
const byPattern = (says: string, pattern: RegExp): Kind => ({
  says,
  fits: (text) => pattern.test(text),
  schema: { type: 'string', pattern: pattern.source },
});

export const PARAMETERS = {
  chain: {
    says: `a whole number from 0 to ${GREATEST_CHAIN}`,
    fits: (text) => /^[0-9]{1,2}$/.test(text) && Number(text) <= GREATEST_CHAIN,
    schema: { type: 'integer', minimum: 0, maximum: GREATEST_CHAIN },
  },
  hash: byPattern('43 characters of Base64Url', HASH),
  backupId: byPattern('1 to 64 characters of a-zA-Z0-9_-', /^[a-zA-Z0-9_-]{1,64}$/),
  whole: {
    says: 'a whole number from 0 on',
    fits: (text) => /^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text)),
    schema: { type: 'integer', minimum: 0 },
  },
  /** Nonces of pools may be negative, and beyond 2^53. */
  integer64: {
    says: 'a 64-bit integer',
    fits: (text) => /^-?[0-9]{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text),
    schema: { type: 'integer', format: 'int64' },
  },
  boolean: {
    says: 'true or false',
    fits: (text) => /^(true|false)$/i.test(text),
    schema: { type: 'boolean' },
  },
  /** What stands behind the colon is the node's matter: it goes back as it came. */
  cursor: byPattern('inclusive:<key> or exclusive:<key>', CURSOR),
  /** Of any value: that it is there counts. */
  flag: { says: 'anything', fits: () => true, schema: { type: 'string' } },
} as const satisfies Readonly<Record<string, Kind>>;

export type ParameterKind = keyof typeof PARAMETERS;

/** Throws RangeError with a sentence that names it. */
export function checkParameter(kind: ParameterKind, name: string, text: string): string {
  const { fits, says }: Kind = PARAMETERS[kind];
  if (fits(text)) return text;
  throw new RangeError(`${name} must be ${says}, not ${quoted(text)}`);
}

/**
 * A value of JSON as the model wants it. Throws RangeError.
 *
 * @param entry what an entry of a bare list is called.
 * @param whole what the value itself is called.
 */
export function checkBody<T extends z.ZodType>(
  model: T,
  value: unknown,
  entry = 'entry',
  whole = 'the body',
): z.output<T> {
  const read = model.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const { path, message } = deepest(issue);
  if (issue?.code === 'unrecognized_keys')
    throw new RangeError(`${nameOf(path, whole)} has no field ${issue.keys.map(quoted).join(', ')}`);
  if (message.startsWith(SENTENCE)) throw new RangeError(message.slice(SENTENCE.length));
  const given = path.reduce<unknown>((inner, key) => Object(inner)[key], value);
  const where = typeof path[0] === 'number' ? [`${entry} ${path[0]}`, ...path.slice(1)] : path;
  throw new RangeError(`${nameOf(where, whole)} ${saying(message)}, not ${quoted(given)}`);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of what may be in several forms, the fault of the form that fits best. */
function deepest(issue: z.core.$ZodIssue | undefined): Issue {
  if (!issue) return { path: [], message: 'is wrong' };
  if (issue.code === 'invalid_type' && issue.expected === 'object' && !issue.message.startsWith(SENTENCE))
    return { path: issue.path, message: 'must be a JSON object' };
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.map(([first]) => deepest(first));
  const best = inner.reduce((a, b) => (b.path.length > a.path.length ? b : a), {
    path: [],
    message: issue.message.startsWith('must ') ? issue.message : 'must be a JSON object',
  });
  return { path: [...issue.path, ...best.path], message: best.message };
}

function nameOf([first, ...rest]: readonly PropertyKey[], whole: string): string {
  if (first === undefined) return whole;
  return (
    String(first) + rest.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  );
}

/** What the library says by itself begins otherwise. */
function saying(message: string): string {
  return message.startsWith('must ') ? message : `is wrong (${message})`;
}

/** What was given, short enough for a sentence. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
