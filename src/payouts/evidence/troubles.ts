/** What is wrong with a look at a chain, in sentences. */

import type { Link } from '../../node-client/following/links.js';
import type { CheckedBlock, NodeSight, Trouble } from './sight.js';

/** Of a head: nothing new is sent above it. */
const OLDEST_HEAD_S = 600;
/** No block is made of a time to come. */
const MOST_AHEAD_S = 60;

interface Looked {
  readonly chainId: number;
  readonly blocks: readonly CheckedBlock[];
  readonly headAgeS: number | undefined;
  readonly nodes: readonly NodeSight[];
  /** How many blocks left the chain at once since the look before. */
  readonly gone: number;
  readonly depth: number;
  /** Of a heavier branch, the first block whose payload nobody gave. */
  readonly missing: Link | undefined;
  /** Blocks that are left for the next looks. */
  readonly toGo: number;
}

export function troublesOf(looked: Looked): Trouble[] {
  return [...ofReading(looked), ...ofNodes(looked), ...ofTime(looked), ...ofBlocks(looked)];
}

function* ofReading({ chainId, toGo }: Looked): Generator<Trouble> {
  if (toGo > 0) yield trouble('reading', [], `blocks of chain ${chainId} are being read: ${toGo} to go`);
}

function* ofNodes({ chainId, nodes, depth, missing }: Looked): Generator<Trouble> {
  const being = (...standings: NodeSight['standing'][]): NodeSight[] =>
    nodes.filter(({ standing }) => standings.includes(standing));
  if (being('agrees', 'behind', 'forked').length === 0)
    yield trouble('unreachable', nodes, `no node gives chain ${chainId}${reasons(nodes)}`);
  if (missing) {
    const { height, hash } = missing;
    yield trouble(
      'unreachable',
      nodes,
      `no node gives the payload of block ${height} (${hash}) of chain ${chainId}`,
    );
  }
  const forked = being('forked');
  if (forked.length > 0) {
    const names = forked.map(({ node }) => node).join(', ');
    const says = `${names} ${forked.length === 1 ? 'has' : 'have'} another chain ${chainId}, and the difference is more than ${depth} blocks deep`;
    yield trouble('disagree', forked, says);
  }
  for (const one of being('forged'))
    yield trouble('forged', [one], `${one.node} gave what is not true: ${one.says}`);
  for (const one of being('network')) yield trouble('network', [one], `${one.node} ${one.says}`);
}

function* ofTime({ chainId, headAgeS = 0, nodes }: Looked): Generator<Trouble> {
  const newest = `the newest block of chain ${chainId} is`;
  if (headAgeS > OLDEST_HEAD_S) yield trouble('lags', nodes, `${newest} ${headAgeS} s old`);
  if (headAgeS < -MOST_AHEAD_S) yield trouble('clock', nodes, `${newest} ${-headAgeS} s ahead of our clock`);
}

function* ofBlocks({ chainId, blocks, gone, depth }: Looked): Generator<Trouble> {
  // A block that had the depth on top is one of so many.
  if (gone > depth + 1)
    yield trouble('reorganised-deeper', [], `${gone} blocks left chain ${chainId} at once`);
  const strange = blocks.filter(({ contracts }) => contracts.length > 0);
  if (strange[0]) {
    const hashes = [...new Set(strange.flatMap(({ contracts }) => contracts))].join(', ');
    const says = `coin ran as ${hashes} on chain ${chainId}, from block ${strange[0].height} on, which is not known`;
    yield trouble('contract', [], says);
  }
  const unread = blocks.find(({ unreadable }) => unreadable.length > 0);
  if (unread) {
    const says = `block ${unread.height} of chain ${chainId} cannot be read: ${unread.unreadable[0]}`;
    yield trouble('unreadable', [], says);
  }
}

function trouble(kind: Trouble['kind'], about: readonly NodeSight[], says: string): Trouble {
  return { kind, says, nodes: about.map(({ node }) => node) };
}

function reasons(nodes: readonly NodeSight[]): string {
  const said = nodes.flatMap(({ node, says }) => (says === undefined ? [] : [`${node}: ${says}`]));
  return said.length === 0 ? '' : ` (${said.join('; ')})`;
}
