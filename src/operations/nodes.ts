/** Nodes: how each is, and what its works say of forks of the network. */
import { z } from 'zod';
import { listOf } from './entry/operation.js';
import { NODE_STATES } from './enums.js';

const COUNT = z.int().nonnegative();

const FORKS = z
  .object({
    number: COUNT.describe('fork number'),
    leastVotes: COUNT.describe('blocks that have voted for the next fork, on the chain with the fewest'),
    mostVotes: COUNT.describe('on the chain with the most'),
    isFor: z
      .boolean()
      .nullable()
      .describe(
        'its own work votes for the next fork; null where that is not known yet, or no votes are cast for now',
      ),
    isNear: z.boolean().describe('the next fork has the votes that it needs, and comes with the next epoch'),
    agrees: z
      .boolean()
      .nullable()
      .describe(
        'false where the work of another node for the same block has another fork number or votes differently; null where there is none to compare with',
      ),
    isPassed: z
      .boolean()
      .describe('another node is on a higher fork number: this one may be too old to follow'),
  })
  .meta({ id: 'Forks', description: 'What its works say of forks of the network' });

export const NODE = z
  .object({
    url: z.string().describe('without user and password'),
    bridge: z.int().nullable().describe('number of the bridge that asks it; null: the one that was asked'),
    state: z.enum(NODE_STATES),
    network: z.string().describe('empty while it is unknown'),
    reason: z.string().describe('why it is in this state, in words that say what to do'),
    isActive: z.boolean().describe('rigs work for this one now'),
    chains: COUNT.describe('with live work'),
    requests: COUNT.describe('for work, streams and probes, since the start'),
    cutHeight: COUNT.nullable().describe(
      'sum of the heights of all chains, as it has told last; null where it does not tell, or gives no work',
    ),
    silentMs: z
      .number()
      .nullable()
      .describe('since any of its update streams said anything; null while none has'),
    forks: FORKS.nullable().describe('null while it gives no work'),
  })
  .meta({ id: 'Node' });
export type NodeView = z.output<typeof NODE>;

export const nodes = listOf({
  name: 'nodes',
  tag: 'state',
  access: 'read',
  summary: 'Nodes, and why each is in its state',
  item: NODE,
  columns: {
    url: { kind: 'name', importance: 1, heading: 'node' },
    state: { kind: 'text', importance: 1 },
    isActive: {
      kind: 'text',
      importance: 2,
      heading: 'in use',
      of: ({ isActive }) => (isActive ? 'yes' : 'no'),
    },
    network: { kind: 'name', importance: 4 },
    chains: { kind: 'count', importance: 3 },
    cutHeight: { kind: 'count', importance: 4, heading: 'height' },
    fork: { kind: 'count', importance: 2, of: ({ forks }) => forks?.number },
    votes: {
      kind: 'text',
      importance: 3,
      of: ({ forks }) => forks && [...new Set([forks.leastVotes, forks.mostVotes])].join(' to '),
    },
    vote: { kind: 'text', importance: 2, of: ({ forks }) => forks && voteWords(forks) },
    requests: { kind: 'count', importance: 6 },
    bridge: { kind: 'count', importance: 7 },
    reason: { kind: 'text', importance: 5 },
  },
  command: {
    summary: 'nodes: state, and what each says of forks',
    about:
      'fork is the number of the fork that the works of a node are of, votes how many blocks have voted for the next one, chain by chain, and vote whether ' +
      'the node itself does.',
  },
});

function voteWords({ isFor, isNear, agrees, isPassed }: z.output<typeof FORKS>): string {
  const vote = isFor === null ? 'not known' : isFor ? 'for the next' : 'not for the next';
  return [
    ...[vote, isNear && 'the next is near', agrees === false && 'another node says otherwise'],
    isPassed && 'another node is on a higher one',
  ]
    .filter(Boolean)
    .join('; ');
}
