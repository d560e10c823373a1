import { describe, expect, it } from 'vitest';
import { beliefBy } from '../../src/assembly/payouts/payer-terms.js';

const AUTO = { chainDepth: 'auto', chainNodes: 'auto' } as const;
const PUBLIC = 'mainnet01';

function believing(mode: 'approve' | 'auto', given: number, networkId: string, rules: Rules = AUTO) {
  const urls = Array.from({ length: given }, (_, i) => `http://node-${i}:1848`);
  const config = { 'payouts.mode': mode, 'node.urls': urls, 'node.development': 'auto' } as const;
  return beliefBy(rules, config, networkId);
}

type Rules = Parameters<typeof beliefBy>[0];

describe('what a payer believes of the chain', () => {
  it('is as deep, and has as many nodes, as for blocks of the pool', () => {
    expect(believing('approve', 1, PUBLIC)).toEqual({ depth: 60, nodes: 1 });
    expect(believing('approve', 2, PUBLIC)).toEqual({ depth: 60, nodes: 2 });
    expect(believing('auto', 3, 'development')).toEqual({ depth: 6, nodes: 1 });
  });

  it('is not the word of one node where it pays by itself on a public network', () => {
    expect(believing('auto', 1, PUBLIC)).toEqual({ depth: 60, nodes: 2 });
    expect(believing('auto', 1, 'development')).toEqual({ depth: 6, nodes: 1 });
  });

  it('is what the rules say in numbers, whoever pays and how', () => {
    const rules = { chainDepth: 9, chainNodes: 1 };
    expect(believing('auto', 1, PUBLIC, rules)).toEqual({ depth: 9, nodes: 1 });
    expect(believing('approve', 3, 'development', { ...rules, chainNodes: 3 })).toEqual({
      depth: 9,
      nodes: 3,
    });
  });
});
