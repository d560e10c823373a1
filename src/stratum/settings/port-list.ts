/**
 * Ports of rigs: a list of maps in a file, the same as JSON in a variable, and of one port also
 * `name=high,listen=0.0.0.0:3334,start=1P` for a flag.
 */
import { z } from 'zod';
import { addressOrPrefix, listenAddress } from '../../values/addresses.js';
import { listOf, passwords } from '../../values/lists-and-maps.js';
import { difficultyNumber, parseDifficulty } from '../../values/numbers.js';
import { oneOf, text } from '../../values/words.js';

/** Where a port alone listens. */
const EVERYWHERE = '0.0.0.0:0';
const WANTED = ['off', 'also', 'only'] as const;

const difficulty = z
  .union([z.number(), z.string()], 'is no difficulty')
  .transform((given, context): bigint => {
    const read = parseDifficulty(String(given));
    if (read !== undefined) return read;
    context.addIssue('is no number of expected hashes such as 4T or 4e12');
    return z.NEVER;
  });

const PORT = z.strictObject({
  name: z
    .string('is missing')
    .regex(/^[a-z][a-z0-9-]{0,31}$/, 'is none: 1 to 32 small letters, digits and -, a letter first')
    .refine((name) => name !== 'web', 'is what the web is called: choose another'),
  listen: z.preprocess((given) => given ?? '', listenAddress(EVERYWHERE)),
  transport: oneOf('tcp', 'ws', 'both').default('both'),
  tls: oneOf(...WANTED).default('also'),
  start: difficultyNumber.optional(),
  min: difficultyNumber.optional(),
  max: difficultyNumber.optional(),
  fixed: difficulty.optional(),
  accounts: oneOf('open', 'key', 'list', 'password').optional(),
  list: listOf(text).optional(),
  passwords: passwords.optional(),
  proxy: oneOf(...WANTED).default('also'),
  balancers: listOf(addressOrPrefix).optional(),
  allow: listOf(addressOrPrefix).optional(),
  deny: listOf(addressOrPrefix).optional(),
});

const KEYS = Object.keys(PORT.shape);
/** Keys that a flag may give several times. */
const LISTS = ['list', 'balancers', 'passwords', 'allow', 'deny'];
const MOST = 32;
const NO_LIST = 'is no list of ports, each a map such as {name: high, listen: 0.0.0.0:3334, start: 1P}';

type PortValue = z.output<typeof PORT>;

/** Each has a name of its own. */
export const portList = z.preprocess(
  (given) => (typeof given === 'string' ? ofText(given) : given),
  z.array(z.unknown(), NO_LIST).transform((given, context): PortValue[] => {
    const read: PortValue[] = [];
    const message = faultIn(given, read);
    if (message === undefined) return read;
    context.addIssue({ code: 'custom', message, path: given.length > MOST ? [] : [read.length] });
    return z.NEVER;
  }),
);

/** @param read gets those that are right, up to the first that is not. */
function faultIn(given: readonly unknown[], read: PortValue[]): string | undefined {
  if (given.length > MOST) return `has ${given.length} ports, and may have ${MOST}`;
  for (const [i, each] of given.entries()) {
    const port = typeof each === 'string' ? ofWords(each) : each;
    const { data, error } = PORT.safeParse(port);
    if (error) return `has a fault in port ${nameOf(port) ?? i + 1}: ${faultInWords(port, error.issues[0])}`;
    if (read.some(({ name }) => name === data.name)) return `has two ports of one name: ${data.name}`;
    read.push(data);
  }
  return undefined;
}

function nameOf(port: unknown): string | undefined {
  const name = (port as { name?: unknown } | null)?.name;
  return typeof name === 'string' && name !== '' ? name.slice(0, 40) : undefined;
}

/** Key, value unless it may be secret, and what is wrong. */
function faultInWords(port: unknown, issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys')
    return `it has a key ${issue.keys[0]}, and takes ${KEYS.join(', ')}`;
  const [key] = issue?.path ?? [];
  if (key === undefined) return 'it is no map of keys to values';
  const value = (port as Record<PropertyKey, unknown>)[key];
  const shown = value === undefined || key === 'passwords' ? '' : ` ${JSON.stringify(value)}`;
  return `${String(key)}${shown} ${issue?.message}`;
}

/** Of a variable: JSON, or one port in words. */
function ofText(given: string): unknown {
  const trimmed = given.trim();
  if (trimmed === '') return [];
  if (!trimmed.startsWith('[')) return [trimmed];
  return asJson(trimmed);
}

function ofWords(given: string): unknown {
  if (given.trim().startsWith('{')) return asJson(given);
  const port: Record<string, unknown> = {};
  for (const word of given.split(',')) {
    const at = word.indexOf('=');
    const [key, value] = [word.slice(0, Math.max(0, at)).trim(), word.slice(at + 1).trim()];
    if (at === -1) return given; // which is no map, and is told so
    port[key] = LISTS.includes(key) ? [...((port[key] as string[] | undefined) ?? []), value] : value;
  }
  return port;
}

function asJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
