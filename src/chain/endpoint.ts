/** A row of the table of endpoints, and what is written by it: paths and queries. */
import { z } from 'zod';
import { type boundsModel, peerModel } from './models.js';
import { checkParameter, type ParameterKind } from './parameters.js';

export const JSON_TYPE = 'application/json';
/** As what comes of commands is written. */
export const UTF8_JSON_TYPE = 'application/json;charset=utf-8';
export const OBJECT_TYPE = 'application/json;blockheader-encoding=object';
export const BYTES_TYPE = 'application/octet-stream';
export const TEXT_TYPE = 'text/plain';
export const EVENTS_TYPE = 'text/event-stream';

export type Encoding =
  | typeof JSON_TYPE
  | typeof UTF8_JSON_TYPE
  | typeof OBJECT_TYPE
  | typeof BYTES_TYPE
  | typeof TEXT_TYPE
  | typeof EVENTS_TYPE;

export interface Endpoint<M extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Of `node-interface.md`; what it does not show is a statement of `protocol.md`, D, or of `transfers.md`, 2 (T). */
  readonly section: string;
  readonly summary: string;
  /** Real nodes have two ports; the specification knows of one. */
  readonly port: 'service' | 'peer' | 'both';
  /** Below the base address, at the host root, or at both: by the specification below the base, on real nodes at the root. */
  readonly at: 'base' | 'root' | 'both';
  /** Absent where it is switched off in the configuration. */
  readonly needs?: 'mining' | 'headerStream' | 'backup';
  readonly query: Readonly<Record<string, ParameterKind>>;
  readonly body?: Body;
  /** Of a success by the specification. */
  readonly status: 200 | 204;
  /** What a client may choose by `accept`, the first by default; none: no body. */
  readonly encodings: readonly Encoding[];
  /** Of what comes as JSON. */
  readonly model: M;
  /** Items that an answer has at most, or that are answered: what is asked for beyond, real nodes leave out. */
  readonly most?: ByPort;
  /** Bounds of each kind that a branch may have: more are refused. */
  readonly mostBounds?: ByPort;
  /** Of the items of a page, where it is one. */
  readonly item?: z.ZodType;
  /** Names of events of a stream. */
  readonly events?: readonly string[];
  /** Status -> when. */
  readonly refusals: Readonly<Record<number, string>>;
  /** Status -> what to do, as a sentence without its full stop, where it means something else here than anywhere. */
  readonly advice: Readonly<Record<number, string>>;
  /** It changes something: never repeated. */
  readonly changes: boolean;
  /** A chain that is not there is 404 without a word, not a fault of the parameter. */
  readonly isSilent?: boolean;
  /** Largest answer that a client reads. */
  readonly maxBytes?: number;
}

/** What differs by the port of a real node. */
export interface ByPort {
  readonly service: number;
  readonly peer: number;
}

type Body =
  /** `entry`: what an entry of a bare list is called. */
  | { readonly type: typeof JSON_TYPE; readonly model: z.ZodType; readonly entry?: string }
  | { readonly type: typeof BYTES_TYPE; readonly says: string };

/** Kinds of what stands in braces in paths. */
const PATH_KINDS: Readonly<Record<string, ParameterKind>> = {
  chain: 'chain',
  blockHash: 'hash',
  payloadHash: 'hash',
  backupId: 'backupId',
};

type Row<M extends z.ZodType> = Pick<Endpoint<M>, 'section' | 'summary' | 'model'> &
  Partial<Omit<Endpoint<M>, 'method' | 'path'>>;

export const nothing = z.undefined();

const BY_DEFAULT = {
  port: 'both',
  at: 'base',
  query: {},
  status: 200,
  encodings: [JSON_TYPE],
  refusals: {},
  advice: {},
  changes: false,
} as const;

export function of<M extends z.ZodType>(key: `${Endpoint['method']} ${string}`, row: Row<M>): Endpoint<M> {
  const [method, path = ''] = key.split(' ');
  return { ...BY_DEFAULT, ...row, method: method as Endpoint['method'], path };
}

/** @param entry what an entry of a bare list is called. */
export function json(model: z.ZodType, entry?: string): Body {
  return { type: JSON_TYPE, model, ...(entry ? { entry } : {}) };
}

export function bytes(says: string): Body {
  return { type: BYTES_TYPE, says };
}

/** Of pages without heights. */
export const PLACES = { limit: 'whole', next: 'cursor' } as const;

export const NEW_PEER = {
  port: 'peer',
  section: 'D',
  model: nothing,
  status: 204,
  encodings: [],
  body: json(peerModel),
  changes: true,
  refusals: { 400: 'Invalid hostaddress' },
} as const;

export type Values = Readonly<Record<string, string | number | bigint | undefined>>;

/** Names and kinds of what stands in a path. */
export function pathParameters(path: string): readonly (readonly [name: string, kind: ParameterKind])[] {
  return Array.from(
    path.matchAll(/\{(\w+)\}/g),
    ([, name = '']) => [name, PATH_KINDS[name] ?? 'flag'] as const,
  );
}

/** The path with its values. Throws RangeError for one that is missing or cannot be. */
export function pathOf({ path }: Pick<Endpoint, 'path'>, values: Values): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(checkParameter(PATH_KINDS[name] ?? 'flag', name, String(values[name] ?? ''))),
  );
}

/** `?name=value&…` of what is given, or nothing. Throws RangeError. */
export function queryOf({ query }: Pick<Endpoint, 'query'>, values: Values): string {
  const given = Object.entries(query).flatMap(([name, kind]) => {
    const value = values[name];
    return value === undefined
      ? []
      : [`${name}=${encodeURIComponent(checkParameter(kind, name, String(value)))}`];
  });
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** What is wrong with the bounds of a branch, if they are too many. */
export function tooManyBounds(
  bounds: z.output<typeof boundsModel>,
  most = Number.POSITIVE_INFINITY,
): string | undefined {
  for (const name of ['lower', 'upper'] as const) {
    const count = bounds[name]?.length ?? 0;
    if (count > most) return `branch bounds exceeded: ${count} ${name} bounds, at most ${most}`;
  }
  return undefined;
}
