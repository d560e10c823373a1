/** How long `listen` waits, and for how many: by a time that the test makes pass. */
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { LISTEN_MS, MOST_LISTENING } from '../../../src/devnode/http/listeners.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { funds, pactApi, transfer } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { scriptedTime } from '../../helpers/stories/scripted-time.js';
import { until } from '../../helpers/until.js';
import { ask, mineOne, testNodes } from '../helpers.js';

const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

const [ALICE, BOB] = [keyPair(1), keyPair(2)];
const NOBODY_KEY = 'DldRwCblQ7Loqy6wYJnaodHl30d3j3eH-qtFzfEv46g';

it('gives up after three minutes with 504 and no body; the client says that nothing came', async () => {
  const time = scriptedTime();
  const node = await easyNode({ after: time.after });
  const url = `${node.url}/chain/0/pact/api/v1/listen`;
  const raw = ask(url, { method: 'POST', json: { listen: NOBODY_KEY } });
  await using client = await NodeClient.connect({ nodes: node.rootUrl });
  const typed = client.chain(0).pact.listen(NOBODY_KEY);
  await until('both wait', () => time.waiting === 2);
  time.pass(LISTEN_MS - 1);
  // What a block brings is looked at, and is not it.
  await mineOne(node, 0);
  expect([LISTEN_MS, time.waiting]).toEqual([180_000, 2]);
  time.pass(1);
  const { status, text } = await raw;
  expect([status, text]).toEqual([504, '']);
  expect(await typed).toBeUndefined();
  expect(time.waiting).toBe(0);
});

it('takes a thousand that wait, refuses one more, and takes it once one has left', async () => {
  const time = scriptedTime();
  const node = await easyNode({
    ...{ after: time.after, payloadRefresh: 1, initialBalances: [funds(ALICE, '100')] },
  });
  const { pathname } = new URL(`${node.url}/chain/0/pact/api/v1/listen`);
  const body = JSON.stringify({ listen: NOBODY_KEY });
  const one = `POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  // Over one connection, one behind the other: all of them wait for the first.
  const pipeline = connect(node.address.port, node.address.address);
  pipeline.write(one.repeat(MOST_LISTENING));
  await until('all wait', () => time.waiting === MOST_LISTENING);
  const api = pactApi(node);
  const paid = transfer(ALICE, BOB, '1.0');
  const refused = await api.listen(paid.hash);
  expect([refused.status, refused.text]).toEqual([503, 'too many listen already']);
  pipeline.destroy();
  await until('all have left', () => time.waiting === 0);
  await api.send(paid);
  const listening = api.listen(paid.hash);
  await until('it waits', () => time.waiting === 1);
  await mineOne(node, 0);
  expect((await listening).json()).toMatchObject({ reqKey: paid.hash, result: { status: 'success' } });
  expect(time.waiting).toBe(0);
});

it('ends with the node', async () => {
  const time = scriptedTime();
  const node = await easyNode({ after: time.after });
  const listening = pactApi(node)
    .listen(NOBODY_KEY)
    .then(
      ({ status }) => status,
      () => 'cut off',
    );
  await until('it waits', () => time.waiting === 1);
  await node.close();
  expect([503, 'cut off']).toContain(await listening);
  expect(time.waiting).toBe(0);
});
