/** Ancestors by headers that were hashed, whose other fields a node can make up. */
import { expect, it } from 'vitest';
import { Ancestry } from '../../src/chain/ancestry.js';
import type { EncodedHeader } from '../../src/chain/encoded-header.js';
import { fromBase64Url } from '../../src/core/bytes/bytes.js';
import { encodeHeader } from '../../src/core/work/header.js';
import { makeWork } from '../helpers/rigs/works.js';

/** A name for each number. */
const hashOf = (number: number): string => String(number).padStart(43, 'A');

function header(number: number, height: number): EncodedHeader {
  const parent = fromBase64Url(hashOf(number + 10)) ?? expect.fail();
  const fields = { ...makeWork({ height }).fields, parent };
  return { header: encodeHeader(fields), hash: fromBase64Url(hashOf(number)) ?? expect.fail(), fields };
}

const START = 1_000;
const numberOf = (hash: string): number => Number(/\d+$/.exec(hash)?.[0]);

it('N1: each parent is one lower than its child: a node that goes on and on is found out', async () => {
  const asked: string[] = [];
  const endless = new Ancestry().ancestorAt(7, hashOf(START), async (hash) => {
    asked.push(hash);
    if (asked.length > 100) throw new Error('without end');
    return [header(numberOf(hash), 90)];
  });
  await expect(endless).rejects.toMatchObject({ code: 'forged' });
  expect(asked).toHaveLength(2);
  const honest = await new Ancestry().ancestorAt(7, hashOf(START), async (hash) => {
    const number = numberOf(hash);
    return [header(number, 9 - (number - START) / 10)];
  });
  expect(honest).toBe(hashOf(START + 20));
});
