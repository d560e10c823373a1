import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/core/bytes/bytes.js';
import { weightOfTarget } from '../../../src/core/work/target.js';
import { Block } from '../../../src/devnode/consensus/block.js';
import { nextEpoch } from '../../../src/devnode/consensus/difficulty.js';
import { genesisBlock, genesisOf } from '../../../src/devnode/consensus/genesis.js';
import { type Network, networkFrom } from '../../../src/devnode/consensus/networks.js';
import { readVectors } from '../../helpers/runner/vectors.js';

interface HeaderVector {
  hex286: string;
  blockHash: string;
  group: string;
  fields: { chainId: number; payloadHash: string };
}

const headersOf = (group: string): HeaderVector[] =>
  readVectors<{ headers: HeaderVector[] }>('headers').headers.filter((vector) => vector.group === group);

describe('genesis blocks of the public networks', { tags: ['vectors'] }, () => {
  const networks: [string, Network][] = [
    ['genesis-mainnet01', networkFrom('mainnet01')],
    ['genesis-testnet04', networkFrom('testnet04')],
    ['genesis-development', networkFrom('development')],
    ['genesis-recap-development', networkFrom('recap-development')],
  ];
  it.each(networks)('%s: all twenty hashes', (group, network) => {
    const vectors = headersOf(group);
    expect(vectors).toHaveLength(20);
    for (const { fields, blockHash, hex286 } of vectors) {
      const block = genesisBlock(network, fields.chainId, fields.payloadHash);
      expect(Buffer.from(block.header).toString('hex')).toBe(hex286);
      expect(block.hash).toBe(blockHash);
    }
  });

  it.each(['mainnet01', 'testnet04'] as const)('%s starts from the real ones by its name alone', (name) => {
    for (const { fields, blockHash } of headersOf(`genesis-${name}`)) {
      expect(genesisOf(networkFrom(name), fields.chainId).block.hash).toBe(blockHash);
    }
  });
});

describe('real blocks on real parents', { tags: ['vectors'] }, () => {
  const links = (): { block: Block; parent: Block }[] => {
    const { headers } = readVectors<{ headers: HeaderVector[] }>('headers');
    const blocks = new Map(
      headers
        .map(({ hex286 }) => Block.fromHeader(fromHex(hex286) ?? new Uint8Array()))
        .map((b) => [b.hash, b]),
    );
    return [...blocks.values()].flatMap((block) => {
      const parent = blocks.get(block.parent);
      return parent ? [{ block, parent }] : [];
    });
  };

  it('carry the target and the epoch start that follow from the parent', () => {
    // None of the links of the vectors crosses the end of an epoch, so each is a step that must change nothing.
    const { difficulty } = networkFrom('mainnet01');
    expect(links().length).toBeGreaterThan(1);
    for (const { block, parent } of links()) {
      const { target, epochStart } = block;
      expect(nextEpoch(difficulty, parent, [], 0)).toEqual({ target, epochStart });
    }
  });

  it('have weights that grow by floor((2^256 - 1) / target)', () => {
    expect(links().length).toBeGreaterThan(1);
    for (const { block, parent } of links()) {
      expect(block.weight).toBe(parent.weight + weightOfTarget(block.target));
      expect(block.height).toBe(parent.height + 1);
    }
  });
});
