/** Quirks of agents: a list of maps in a file, JSON in a variable, or the short form AGENT=HASHES for a floor alone. */
import { z } from 'zod';
import { difficultyNumber } from '../../values/numbers.js';
import { AGENT_CHARACTERS, type AgentRule } from '../agents.js';
import { KNOWN_AGENTS } from './known-agents.js';

const MOST = 200;
const NO_LIST = 'is no list of agents, each a map such as {agent: kdaminer, floor: 1T}, or AGENT=HASHES';
const NO_ANSWER = 'authorizeAnswer is neither true nor []';
const yesOrNo = (name: string) => z.boolean(`${name} is neither true nor false`).optional();

const RULE = z.strictObject({
  agent: z
    .string('agent is missing, or no text')
    .max(AGENT_CHARACTERS, `agent has more than ${AGENT_CHARACTERS} characters`),
  floor: difficultyNumber.optional(),
  powersOfTwo: yesOrNo('powersOfTwo'),
  alwaysClean: yesOrNo('alwaysClean'),
  authorizeAnswer: z.union([z.literal(true), z.tuple([])], NO_ANSWER).optional(),
  reversedNonce1: yesOrNo('reversedNonce1'),
  reversedNonce2: yesOrNo('reversedNonce2'),
  takesReconnect: yesOrNo('takesReconnect'),
  takesMessages: yesOrNo('takesMessages'),
  note: z.string('note is no text').max(1000, 'note has more than 1000 characters').optional(),
});

/** What is given stands before what is known, so that it wins. */
export const agentRules = z.preprocess(
  (given) => (typeof given === 'string' ? listIn(given) : given),
  z.array(z.unknown(), NO_LIST).transform((given, context): AgentRule[] => {
    const rules: AgentRule[] = [];
    const fault = faultIn(given, rules);
    if (fault === undefined) return withKnown(rules);
    context.addIssue(fault);
    return z.NEVER;
  }),
);

function faultIn(given: readonly unknown[], rules: AgentRule[]): string | undefined {
  if (given.length > MOST) return `has ${given.length} agents, and may have ${MOST}`;
  for (const [i, each] of given.entries()) {
    const { data, error } = RULE.safeParse(typeof each === 'string' ? floorIn(each) : each);
    if (error) return `has a fault in agent ${i + 1}: ${faultInWords(error.issues[0])}`;
    rules.push(data);
  }
  return undefined;
}

function withKnown(rules: readonly AgentRule[]): AgentRule[] {
  const written = new Set(rules.map((rule) => JSON.stringify(rule)));
  return [...rules, ...KNOWN_AGENTS.filter((rule) => !written.has(JSON.stringify(rule)))];
}

/** `AGENT=HASHES`; an agent may hold `=`. */
function floorIn(text: string): unknown {
  const at = text.lastIndexOf('=');
  return at === -1 ? text : { agent: text.slice(0, at), floor: text.slice(at + 1) };
}

function listIn(text: string): unknown {
  if (!text.trim().startsWith('[')) return text.split(',').filter(Boolean);
  try {
    return JSON.parse(text);
  } catch {
    return text; // which is no list, and is told so
  }
}

function faultInWords(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys') return `it has no key ${issue.keys.join(', ')}`;
  if (issue?.code === 'invalid_type' && issue.path.length === 0) return 'it is no map of names to values';
  return issue?.path[0] === 'floor' ? `floor ${issue.message}` : (issue?.message ?? 'it is not valid');
}
