/** What nodes must have in common before they exchange anything: told with every request, so that it is compared at the first. */
import { createHash } from 'node:crypto';
import type { Chains } from '../consensus/chains.js';
import { chainsOf } from '../consensus/networks.js';

/** Names of settings, each with its value as text. */
export type PeerRules = ReadonlyMap<string, string>;

/** `network=development; versionCode=2; …` */
export const RULES_HEADER = 'x-peer-rules';
const MOST_TEXT = 2000;

export function rulesOf({ network, store }: Pick<Chains, 'network' | 'store'>): PeerRules {
  const { name, versionCode, graphs, difficulty, proofOfWork, forks } = network;
  const { blockDelayMicros, window, earlyWindow, earlyUntil, adjusts } = difficulty;
  const graph = graphs.map(({ height, graph: at }) => [height, at.chains.map((id) => at.adjacentsOf(id))]);
  const genesis = chainsOf(network).map((chainId) => store.onBranch(chainId, 0) ?? '');
  return new Map(
    Object.entries({
      network: name,
      versionCode,
      graph: `${graphs[0].graph.chains.length} chains ${shortHash(graph)}`,
      blockDelay: `${blockDelayMicros} us`,
      difficultyWindow: `${window} (${earlyWindow} until height ${earlyUntil}, ${adjusts ? 'adjusted' : 'fixed'})`,
      proofOfWork,
      forks: `epoch ${forks.epoch}, voting ${forks.voting}, flags ${forks.flags}`,
      genesis: shortHash(genesis),
    }).map(([key, value]) => [key, String(value)]),
  );
}

export function rulesText(rules: PeerRules): string {
  return [...rules].map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('; ');
}

/** In what the asking node differs from this one, as a sentence; `undefined` where it does not, as far as it tells. */
export function difference(own: PeerRules, text: string): string | undefined {
  const theirs = new Map(text.slice(0, MOST_TEXT).split('; ').map(pairOf));
  const different = [...own].filter(([key, value]) => theirs.has(key) && theirs.get(key) !== value);
  if (different.length === 0) return undefined;
  const each = different.map(([key, value]) => `${key} is ${value} here and ${theirs.get(key)} there`);
  return `these nodes have different settings: ${each.join('; ')}`;
}

function pairOf(pair: string): readonly [string, string] {
  const [key = '', value = ''] = pair.split('=');
  try {
    return [key, decodeURIComponent(value)];
  } catch {
    return [key, '']; // no text at all is no value of ours
  }
}

function shortHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 10);
}
