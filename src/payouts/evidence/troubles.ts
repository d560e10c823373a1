/** What is wrong with a look at a chain, in sentences. */
import type { CheckedBlock, NodeSight, Trouble } from './sight.js';
import type { Link } from './window.js';

/** Of a head: nothing new is sent above it. */
const OLDEST_HEAD_S = 600;
/** No block is made of a time to come. */
const MOST_AHEAD_S = 60;

export interface Looked {
  readonly chainId: number;
  readonly blocks: readonly CheckedBlock[];
  readonly headAgeS: number | undefined;
  readonly nodes: readonly NodeSight[];
  /** How many blocks left the chain at once since the look before. */
  readonly gone: number;
  readonly depth: number;
  /** Of a heavier branch, the first block whose payload nobody gave. */
  readonly missing: Link | undefined;
}

export function troublesOf(looked: Looked): Trouble[] {
  return [...ofNodes(looked), ...ofTime(looked), ...ofBlocks(looked)];
}

function ofNodes({ chainId, nodes, depth, missing }: Looked): Trouble[] {
  const being = (standing: NodeSight['standing']): NodeSight[] =>
    nodes.filter((node) => node.standing === standing);
  const names = (some: readonly NodeSight[]): string[] => some.map(({ node }) => node);
  const list = (some: readonly NodeSight[]): string => names(some).join(', ');
  const all = names(nodes);
  const answers = nodes.filter(({ standing }) => ['agrees', 'behind', 'forked'].includes(standing));
  const forked = being('forked');
  return [
    ...(answers.length > 0
      ? []
      : [
          {
            kind: 'unreachable',
            nodes: all,
            says: `no node gives chain ${chainId}${reasons(nodes)}`,
          } as const,
        ]),
    ...(missing
      ? [
          {
            kind: 'unreachable',
            nodes: all,
            says: `no node gives the payload of block ${missing.height} (${missing.hash}) of chain ${chainId}`,
          } as const,
        ]
      : []),
    ...(forked.length === 0
      ? []
      : [
          {
            kind: 'disagree',
            nodes: names(forked),
            says: `${list(forked)} has another chain ${chainId}, and the difference is more than ${depth} blocks deep`,
          } as const,
        ]),
    ...being('forged').map(
      ({ node, says }) =>
        ({ kind: 'forged', nodes: [node], says: `${node} gave what is not true: ${says}` }) as const,
    ),
    ...being('network').map(
      ({ node, says }) => ({ kind: 'network', nodes: [node], says: `${node} ${says}` }) as const,
    ),
  ];
}

function reasons(nodes: readonly NodeSight[]): string {
  const said = nodes.flatMap(({ node, says }) => (says === undefined ? [] : [`${node}: ${says}`]));
  return said.length === 0 ? '' : ` (${said.join('; ')})`;
}

function ofTime({ chainId, headAgeS, nodes }: Looked): Trouble[] {
  const all = nodes.map(({ node }) => node);
  if (headAgeS === undefined) return [];
  if (headAgeS > OLDEST_HEAD_S)
    return [{ kind: 'lags', nodes: all, says: `the newest block of chain ${chainId} is ${headAgeS} s old` }];
  if (headAgeS < -MOST_AHEAD_S)
    return [
      {
        kind: 'clock',
        nodes: all,
        says: `the newest block of chain ${chainId} is ${-headAgeS} s ahead of our clock`,
      },
    ];
  return [];
}

function ofBlocks({ chainId, blocks, gone, depth }: Looked): Trouble[] {
  const strange = blocks.filter(({ contracts }) => contracts.length > 0);
  const unread = blocks.filter(({ unreadable }) => unreadable.length > 0);
  const hashes = [...new Set(strange.flatMap(({ contracts }) => contracts))].join(', ');
  return [
    // A block that had the depth on top is one of so many.
    ...(gone > depth + 1
      ? [
          {
            kind: 'reorganised-deeper',
            nodes: [],
            says: `${gone} blocks left chain ${chainId} at once`,
          } as const,
        ]
      : []),
    ...(strange[0]
      ? [
          {
            kind: 'contract',
            nodes: [],
            says: `coin ran as ${hashes} on chain ${chainId}, from block ${strange[0].height} on, which is not known`,
          } as const,
        ]
      : []),
    ...(unread[0]
      ? [
          {
            kind: 'unreadable',
            nodes: [],
            says: `block ${unread[0].height} of chain ${chainId} cannot be read: ${unread[0].unreadable[0]}`,
          } as const,
        ]
      : []),
  ];
}
