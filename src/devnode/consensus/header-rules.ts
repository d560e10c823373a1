/** What a block must be to be taken, given the blocks before it (protocol notes C.3). */
import { hash as digest } from 'node:crypto';
import { decodeHeader, type HeaderFields } from '../../core/work/header.js';
import { compareLittleEndian, meetsTarget, weightOfTarget } from '../../core/work/target.js';
import { type Block, type BlockHash, toBlockHash } from './block.js';
import { nextEpoch } from './difficulty.js';
import { brokenFlags, dueFlags } from './fork-state.js';
import { genesisHeightOf, graphAt, type Network } from './networks.js';

type Lookup = (hash: BlockHash) => Block | undefined;

/** Proof-of-work hash of a header of any length: 32 bytes, lowest first. */
export function proofOfWorkHash(header: Uint8Array): Uint8Array {
  return Uint8Array.from(digest('blake2s256', header, 'buffer'));
}

/** The fields, or a sentence why the bytes are no header of this network: length, version, chain, number of adjacents. */
export function readHeader(network: Network, header: Uint8Array): HeaderFields | string {
  let fields: HeaderFields;
  try {
    fields = decodeHeader(header);
  } catch (error) {
    return (error as Error).message;
  }
  if (fields.versionCode !== network.versionCode) {
    return `version code ${fields.versionCode} is not that of ${network.name}`;
  }
  if (genesisHeightOf(network, fields.chainId) === undefined) {
    return `${network.name} has no chain ${fields.chainId}`;
  }
  return fields;
}

/** The first rule that a block breaks, as a sentence; `undefined` if it breaks none. The payload is checked elsewhere. */
export function brokenRule(
  network: Network,
  block: Block,
  lookup: Lookup,
  nowMicros: bigint,
): string | undefined {
  const fields = readHeader(network, block.header);
  if (typeof fields === 'string') return fields;
  const parent = lookup(toBlockHash(fields.parent));
  if (parent === undefined) return `parent ${block.parent} is not known`;
  const adjacentParents = adjacentParentsOf(network, fields, parent, lookup);
  if (typeof adjacentParents === 'string') return adjacentParents;
  return (
    brokenDescent(network, fields, parent, adjacentParents) ??
    brokenTime(fields, [parent, ...adjacentParents], nowMicros) ??
    brokenWork(network, block, fields)
  );
}

function adjacentParentsOf(
  network: Network,
  fields: HeaderFields,
  parent: Block,
  lookup: Lookup,
): Block[] | string {
  const wanted = graphAt(network, parent.height).adjacentsOf(fields.chainId);
  const given = fields.adjacents.map(({ chainId }) => chainId);
  if (wanted.join() !== given.join()) {
    return `adjacent chains are ${given.join(', ')}, not ${wanted.join(', ')}`;
  }
  const found: Block[] = [];
  for (const { chainId, hash } of fields.adjacents) {
    const block = lookup(toBlockHash(hash));
    if (block === undefined) {
      return `adjacent parent ${toBlockHash(hash)} is not known`;
    }
    if (block.chainId !== chainId || block.height !== parent.height) {
      return `adjacent parent ${block.hash} is not of chain ${chainId} and height ${parent.height}`;
    }
    if (!isBraided(network, parent, block)) {
      return `parent and adjacent parent ${block.hash} refer to different branches`;
    }
    found.push(block);
  }
  return found;
}

/** Blocks of one height on adjacent chains name each other's parents, unless one is the first of its chain. */
function isBraided(network: Network, a: Block, b: Block): boolean {
  const names = (from: Block, to: Block): boolean => {
    if (from.height === genesisHeightOf(network, from.chainId)) return true;
    const named = from.adjacentOn(to.chainId);
    return named === undefined || named === to.parent;
  };
  return names(a, b) && names(b, a);
}

function brokenDescent(
  network: Network,
  fields: HeaderFields,
  parent: Block,
  adjacentParents: readonly Block[],
): string | undefined {
  if (parent.chainId !== fields.chainId) return `parent is of chain ${parent.chainId}`;
  if (fields.height !== parent.height + 1) {
    return `height is ${fields.height}, not ${parent.height + 1}`;
  }
  const due = dueFlags(network.forks, fields.height, parent, adjacentParents);
  const fault = brokenFlags(network.forks, due, fields.flags);
  if (fault !== undefined) return fault;
  const genesisHeight = genesisHeightOf(network, fields.chainId) ?? 0;
  const epoch = nextEpoch(network.difficulty, parent, adjacentParents, genesisHeight);
  if (compareLittleEndian(fields.target, epoch.target) !== 0) return 'target is not the one due';
  if (fields.epochStart !== epoch.epochStart) {
    return `epoch start is ${fields.epochStart}, not ${epoch.epochStart}`;
  }
  const weight = parent.weight + weightOfTarget(fields.target);
  return fields.weight === weight ? undefined : `weight is ${fields.weight}, not ${weight}`;
}

function brokenTime(fields: HeaderFields, parents: readonly Block[], nowMicros: bigint): string | undefined {
  const early = parents.find((block) => fields.creationTime <= block.creationTime);
  if (early) {
    return `creation time ${fields.creationTime} is not above ${early.creationTime}, that of ${early.hash} on chain ${early.chainId}`;
  }
  if (fields.creationTime > nowMicros) {
    const ahead = fields.creationTime - nowMicros;
    return `creation time ${fields.creationTime} is ${ahead} microseconds in the future`;
  }
  return undefined;
}

function brokenWork(network: Network, block: Block, fields: HeaderFields): string | undefined {
  if (!network.proofOfWork || meetsTarget(proofOfWorkHash(block.header), fields.target)) return undefined;
  return 'the proof-of-work hash does not meet the target';
}
