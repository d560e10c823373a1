/** What a block must be to be taken, given the blocks before it (protocol notes C.3). */
import { hash as digest } from 'node:crypto';
import { decodeHeader, type HeaderFields } from '../../core/work/header.js';
import { compareLittleEndian, meetsTarget, weightOfTarget } from '../../core/work/target.js';
import { type Block, type BlockHash, toBlockHash } from './block.js';
import { nextEpoch } from './difficulty.js';
import { brokenFlags, dueFlags } from './fork-state.js';
import { genesisHeightOf, graphAt, type Network } from './networks.js';

/** Why a block is not taken. `future` may be otherwise later; `unknown` when the blocks before it are here. */
export interface Refusal {
  readonly code: 'malformed' | 'unknown' | 'rule' | 'future' | 'proofOfWork' | 'payload';
  /** A sentence that names the fault. */
  readonly reason: string;
}

type Lookup = (hash: BlockHash) => Block | undefined;

/** Proof-of-work hash of a header of any length: 32 bytes, lowest first. */
export function proofOfWorkHash(header: Uint8Array): Uint8Array {
  return Uint8Array.from(digest('blake2s256', header, 'buffer'));
}

/** The fields, or why the bytes are no header of this network: length, version, chain, number of adjacents. */
export function readHeader(network: Network, header: Uint8Array): HeaderFields | Refusal {
  let fields: HeaderFields;
  try {
    fields = decodeHeader(header);
  } catch (error) {
    return { code: 'malformed', reason: (error as Error).message };
  }
  if (fields.versionCode !== network.versionCode) {
    return { code: 'malformed', reason: `version code ${fields.versionCode} is not that of ${network.name}` };
  }
  if (genesisHeightOf(network, fields.chainId) === undefined) {
    return { code: 'malformed', reason: `${network.name} has no chain ${fields.chainId}` };
  }
  return fields;
}

/** The first rule that a block breaks; `undefined` if it breaks none. The payload is checked elsewhere. */
export function brokenRule(
  network: Network,
  block: Block,
  lookup: Lookup,
  nowMicros: bigint,
): Refusal | undefined {
  const fields = readHeader(network, block.header);
  if ('reason' in fields) return fields;
  const parent = lookup(toBlockHash(fields.parent));
  if (parent === undefined) return { code: 'unknown', reason: `parent ${block.parent} is not known` };
  const adjacentParents = adjacentParentsOf(network, fields, parent, lookup);
  if (!Array.isArray(adjacentParents)) return adjacentParents;
  return (
    brokenDescent(network, fields, parent, adjacentParents) ??
    brokenTime(fields, [parent, ...adjacentParents], nowMicros) ??
    brokenWork(network, block, fields)
  );
}

function broken(reason: string): Refusal {
  return { code: 'rule', reason };
}

function adjacentParentsOf(
  network: Network,
  fields: HeaderFields,
  parent: Block,
  lookup: Lookup,
): Block[] | Refusal {
  const wanted = graphAt(network, parent.height).adjacentsOf(fields.chainId);
  const given = fields.adjacents.map(({ chainId }) => chainId);
  if (wanted.join() !== given.join()) {
    return broken(`adjacent chains are ${given.join(', ')}, not ${wanted.join(', ')}`);
  }
  const found: Block[] = [];
  for (const { chainId, hash } of fields.adjacents) {
    const block = lookup(toBlockHash(hash));
    if (block === undefined) {
      return { code: 'unknown', reason: `adjacent parent ${toBlockHash(hash)} is not known` };
    }
    if (block.chainId !== chainId || block.height !== parent.height) {
      return broken(`adjacent parent ${block.hash} is not of chain ${chainId} and height ${parent.height}`);
    }
    if (!isBraided(network, parent, block)) {
      return broken(`parent and adjacent parent ${block.hash} refer to different branches`);
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
): Refusal | undefined {
  if (parent.chainId !== fields.chainId) return broken(`parent is of chain ${parent.chainId}`);
  if (fields.height !== parent.height + 1) {
    return broken(`height is ${fields.height}, not ${parent.height + 1}`);
  }
  const due = dueFlags(network.forks, fields.height, parent, adjacentParents);
  const fault = brokenFlags(network.forks, due, fields.flags);
  if (fault !== undefined) return broken(fault);
  const genesisHeight = genesisHeightOf(network, fields.chainId) ?? 0;
  const epoch = nextEpoch(network.difficulty, parent, adjacentParents, genesisHeight);
  if (compareLittleEndian(fields.target, epoch.target) !== 0) return broken('target is not the one due');
  if (fields.epochStart !== epoch.epochStart) {
    return broken(`epoch start is ${fields.epochStart}, not ${epoch.epochStart}`);
  }
  const weight = parent.weight + weightOfTarget(fields.target);
  return fields.weight === weight ? undefined : broken(`weight is ${fields.weight}, not ${weight}`);
}

function brokenTime(fields: HeaderFields, parents: readonly Block[], nowMicros: bigint): Refusal | undefined {
  const early = parents.find((block) => fields.creationTime <= block.creationTime);
  if (early) {
    return broken(
      `creation time ${fields.creationTime} is not above ${early.creationTime}, that of ${early.hash} on chain ${early.chainId}`,
    );
  }
  if (fields.creationTime > nowMicros) {
    const ahead = fields.creationTime - nowMicros;
    return {
      code: 'future',
      reason: `creation time ${fields.creationTime} is ${ahead} microseconds in the future`,
    };
  }
  return undefined;
}

function brokenWork(network: Network, block: Block, fields: HeaderFields): Refusal | undefined {
  if (!network.proofOfWork || meetsTarget(proofOfWorkHash(block.header), fields.target)) return undefined;
  return { code: 'proofOfWork', reason: 'the proof-of-work hash does not meet the target' };
}
