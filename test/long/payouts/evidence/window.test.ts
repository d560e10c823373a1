/** Weights are added up, not believed; and what leaves the chain is remembered. */
import { describe, expect, it } from 'vitest';
import { checkStep, type Link } from '../../../../src/node-client/following/links.js';
import { Window } from '../../../../src/payouts/evidence/window.js';

const NOTHING = { commands: [], debits: [], credits: [], contracts: [], unreadable: [] };

const first: Link = {
  height: 0,
  hash: '0',
  parent: '',
  timeMicros: 0n,
  epochStartMicros: 0n,
  weight: 0n,
  work: 10n,
  payloadHash: '',
  header: new Uint8Array(),
};

function childOf(parent: Link, hash: string, work = 10n): Link {
  const { height, timeMicros, weight } = parent;
  const place = { height: height + 1, timeMicros: timeMicros + 1n, weight: weight + work };
  return {
    ...place,
    epochStartMicros: 0n,
    hash,
    parent: parent.hash,
    work,
    payloadHash: '',
    header: parent.header,
  };
}

function branch(from: Link, names: string, work?: bigint): Link[] {
  const links = [from];
  for (const name of names) links.push(childOf(links.at(-1) as Link, name, work));
  return links.slice(1);
}

function windowOf(chain: readonly Link[]): Window {
  const window = new Window(true);
  window.add([...chain].reverse());
  for (const link of chain) window.setRead(link, NOTHING);
  window.adopt(0, chain);
  return window;
}

describe('a header', () => {
  const child = childOf(first, 'a');
  it('may follow on its parent', () => expect(() => checkStep(first, child, true)).not.toThrow());

  it.each([
    ['that claims more weight than it adds', { weight: 11n }],
    ['that claims more work than its target takes', { work: 1n }],
    ['of another height', { height: 2 }],
    ['that is not later', { timeMicros: 0n }],
    ['of another parent', { parent: 'x' }],
  ])('is forged %s', (_, wrong) => {
    expect(() => checkStep(first, { ...child, ...wrong }, true)).toThrow(/has .*, and block 0 before it/);
  });

  it('is forged where it does not fit what is known already', () => {
    const window = windowOf([first, ...branch(first, 'abc')]);
    const [good, bad] = [childOf(child, 'x'), { ...childOf(child, 'y'), weight: 10_000n }];
    expect(() => window.add([good])).not.toThrow();
    expect(() => window.add([bad])).toThrow(/weight 10000/);
    expect(window.link('y')).toBeUndefined();
  });

  it('is forged that takes less work than the one before it, unless blocks of its network take none', () => {
    const cheap = childOf(child, 'y', 1n);
    expect(() => checkStep(child, cheap, true)).toThrow('another target in the middle of an epoch');
    expect(() => checkStep(child, cheap, false)).not.toThrow();
  });

  it('is forged that was noted before its parent was known, and does not fit it', () => {
    const window = windowOf([first]);
    const [a] = branch(first, 'a') as [Link];
    const heavy = { ...childOf(a, 'heavy'), weight: 10n ** 30n };
    window.add([heavy]);
    window.add([a]);
    expect(() => window.checkAbove('a')).not.toThrow();
    expect(() => window.checkAbove('heavy')).toThrow(/the weight 10{30}, and block a before it/);
  });
});

describe('the window', () => {
  it('remembers what left with the blocks that were on top, until it is back', () => {
    const chain = branch(first, 'abcd');
    const window = windowOf([first, ...chain]);
    const other = branch(chain[0] as Link, 'wxyz');
    window.add([...other].reverse());
    for (const link of other) window.setRead(link, NOTHING);
    expect(window.aboveChain('z')).toEqual({ fork: 1, branch: other });
    expect(window.adopt(1, other)).toBe(3);
    expect(window.left.map(({ hash, depth }) => `${hash}${depth}`)).toEqual(['b2', 'c1', 'd0']);
    expect(window.chain.map(({ hash }) => hash).join('')).toBe('0awxyz');
    const back = window.aboveChain('d');
    expect(window.adopt(back?.fork ?? 0, back?.branch ?? [])).toBe(4);
    expect(window.left.map(({ hash }) => hash).join('')).toBe('wxyz');
    expect(window.chain.map(({ hash }) => hash).join('')).toBe('0abcd');
  });

  it('forgets below a height what is more than some, and beside the chain the oldest', () => {
    const window = windowOf([first, ...branch(first, 'abcdefghij')]);
    window.trim(4, 5);
    expect(window.base?.hash).toBe('0');
    window.trim(6, 5);
    expect([window.base?.hash, window.link('e'), window.readBlock('e')]).toEqual(['f', undefined, undefined]);
    const base = window.link('f') as Link;
    for (let i = 0; i < 2_100; i++) window.add([childOf(base, `beside ${i}`)]);
    window.trim(6, 5);
    expect([window.link('beside 0'), window.link('beside 2099')?.hash]).toEqual([undefined, 'beside 2099']);
    expect(window.chain.map(({ hash }) => hash).join('')).toBe('fghij');
  });

  it('does not believe a block that was not read', () => {
    const window = windowOf([first]);
    const [unread] = branch(first, 'a');
    window.add([unread as Link]);
    expect(() => window.adopt(0, [unread as Link])).toThrow(/not read/);
  });
});
