/** Listings where the cut is below what was mined, and questions that are written otherwise than usual. */
import { afterEach, expect, it } from 'vitest';
import { type Answer, ask, mineMany, testNodes } from './helpers.js';

const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

it('CH13: maxheight may name the height of an orphan above the head', async () => {
  const node = await easyNode({ graph: 'singleton', control: { host: '127.0.0.1', port: 0 } });
  await mineMany(node, 5);
  await ask(`${node.controlUrl}/rewind`, { method: 'POST', json: { height: 2 } });
  expect(node.cut().height).toBe(2);
  const list = (height: number): Promise<Answer> => ask(`${node.url}/chain/0/hash?maxheight=${height}`);
  const found = await list(5);
  expect(found.status).toBe(200);
  expect(found.json<{ items: string[] }>().items).toHaveLength(6);
  expect((await list(6)).status).toBe(404);
});

it('CH5: a cursor that names a height is 404, as what is not there', async () => {
  const node = await easyNode({ graph: 'singleton' });
  const found = await ask(`${node.url}/chain/0/hash?next=inclusive:999999`);
  expect(found.status).toBe(404);
  expect(found.json()).toMatchObject({ key: expect.stringMatching(/^[\w-]{43}$/) });
});

it('CH14: a parameter of Accept may stand in quotation marks', async () => {
  const node = await easyNode({ graph: 'singleton' });
  const accept = 'application/json;blockheader-encoding="object"';
  const found = await ask(`${node.url}/chain/0/header`, { headers: { accept } });
  expect(found.json()).toMatchObject({ items: [{ height: 0 }] });
});
