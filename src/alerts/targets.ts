/** Targets of alerts: a list of maps in a file, or the same as JSON in a variable. No message shows what they hold. */
import { z } from 'zod';
import type { Alert } from '../operations/alerts.js';
import { SEVERITIES } from '../operations/enums.js';
import { CONDITION_NAMES } from './conditions.js';

const url = z
  .string('url is missing')
  .refine(
    (value) => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol),
    'url is none that begins with https:// or http://',
  );
const word = (name: string, most = 500) =>
  z.string(`${name} is missing, or no text`).min(1, `${name} is empty`).max(most, `${name} is too long`);
/** Of a chat, a number is meant as often as a name. */
const chat = z.union([z.number().transform(String), word('chat', 100)], 'chat is missing');

const COMMON = {
  name: z
    .string('name is missing')
    .regex(/^[\w-]{1,40}$/, 'name is none: 1 to 40 letters, digits, - and _, by which it is shown'),
  conditions: z
    .array(
      z.enum(CONDITION_NAMES, `conditions holds one that is none of ${CONDITION_NAMES.join(', ')}`),
      'conditions is no list',
    )
    .optional(),
  leastSeverity: z.enum(SEVERITIES, `leastSeverity is none of ${SEVERITIES.join(', ')}`).default('info'),
};

const SECRET_SAYS = 'secret is no text of 16 to 500 characters, such as `openssl rand -hex 32` prints';
/** What the documents show in its place: the command, and not what it prints. */
const EXAMPLE_SECRET = 'openssl rand -hex 32';
const EXAMPLE_SAYS = `secret is the command \`${EXAMPLE_SECRET}\` itself: run it, and take what it prints`;
const TYPES = ['webhook', 'discord', 'slack', 'telegram', 'ntfy'] as const;

const TARGET = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      ...{ ...COMMON, type: z.literal('webhook'), url },
      secret: z
        .string(SECRET_SAYS)
        .min(16, SECRET_SAYS)
        .max(500, SECRET_SAYS)
        .refine((secret) => secret !== EXAMPLE_SECRET, EXAMPLE_SAYS)
        .or(z.literal(''))
        .default(''),
    }),
    z.strictObject({ ...COMMON, type: z.enum(['discord', 'slack']), url }),
    z.strictObject({
      ...{ ...COMMON, type: z.literal('telegram'), chat },
      token: word('token', 200).regex(/^[\w:-]+$/, 'token is none of a bot'),
      url: url.default('https://api.telegram.org'),
    }),
    z.strictObject({
      ...{ ...COMMON, type: z.literal('ntfy'), url: url.default('https://ntfy.sh') },
      topic: word('topic', 64).regex(/^[\w-]+$/, 'topic is none: letters, digits, - and _'),
      token: word('token', 200).or(z.literal('')).default(''),
    }),
  ],
  `type is none of ${TYPES.join(', ')}`,
);

const MOST = 20;
const NO_LIST = 'is no list of targets, each a map such as {name: ops, type: discord, url: https://…}';

export type AlertTarget = z.output<typeof TARGET>;

/** Each has a name of its own. */
export const alertTargets = z.preprocess(
  (given) => (typeof given === 'string' ? asJson(given) : given),
  z.array(z.unknown(), NO_LIST).transform((given, context): AlertTarget[] => {
    const targets: AlertTarget[] = [];
    const fault = faultIn(given, targets);
    if (fault === undefined) return targets;
    context.addIssue(fault);
    return z.NEVER;
  }),
);

function faultIn(given: readonly unknown[], targets: AlertTarget[]): string | undefined {
  if (given.length > MOST) return `has ${given.length} targets, and may have ${MOST}`;
  for (const [i, each] of given.entries()) {
    const { data, error } = TARGET.safeParse(each);
    if (error) return `has a fault in target ${i + 1}: ${faultInWords(error.issues[0])}`;
    if (targets.some(({ name }) => name === data.name)) return `has two targets of one name: ${data.name}`;
    targets.push(data);
  }
  return undefined;
}

/** Our own words; a key that is not known may be a secret in the wrong place. */
function faultInWords(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys') return 'it has a key that its type does not take';
  if (issue?.code === 'invalid_type') return 'it is no map of names to values';
  return issue?.message ?? 'it is not valid';
}

function asJson(given: string): unknown {
  if (given.trim() === '') return [];
  try {
    return JSON.parse(given);
  } catch {
    return given; // which is no list, and is told so
  }
}

export function isFor(
  { conditions, leastSeverity }: AlertTarget,
  { condition, severity }: Pick<Alert, 'condition' | 'severity'>,
): boolean {
  const isWanted = (conditions as readonly string[] | undefined)?.includes(condition) ?? true;
  return isWanted && SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(leastSeverity);
}
