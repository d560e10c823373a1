/** Commands (transfers.md, 2) against the process, in both dialects, which do not differ here: types, statuses, bodies, words. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ask, mineOne } from '../devnode/helpers.js';
import { type NodeHere, startEasyHere } from '../devnode/process.js';
import { command, type Envelope, transfer } from '../helpers/processes/commands.js';
import { keyPair } from '../helpers/processes/key-pair.js';
import { NOWHERE } from './asker.js';

const [ALICE, BOB] = [keyPair(1), keyPair(2)];
const JSON_TYPE = 'application/json;charset=utf-8';
const AS_REAL = ['--profile', 'chainweb', '--peer-listen', '127.0.0.1:0'];

describe.each([
  ['T commands', []],
  ['T commands, as real nodes', AS_REAL],
])('%s', (_, flags) => {
  let node: NodeHere;
  beforeAll(async () => {
    const own = ['--graph', 'twenty', '--payload-refresh', '1ms', '--accounts', `k:${ALICE.key}`];
    node = await startEasyHere(...own, ...flags);
  });
  afterAll(() => node[Symbol.asyncDispose]());
  const post = (chain: number | string, path: string, json: unknown): Promise<Answer> =>
    ask(`${node.url}/chain/${chain}/pact/${path}`, { method: 'POST', json });
  const pay = (chainId: number): Envelope => transfer(ALICE, BOB, '1.0', { chainId });
  /** Status, the type and the text. */
  const said = ({ status, headers, text }: Answer): unknown => [status, headers['content-type'], text];
  const words = expect.stringMatching(/^text\/plain/);

  it('T: send answers the request keys in the order of the commands', async () => {
    const cmds = [pay(0), transfer(ALICE, BOB, '2.0')];
    const keys = cmds.map(({ hash }) => hash);
    expect(said(await post(0, 'api/v1/send', { cmds }))).toEqual([
      200,
      JSON_TYPE,
      JSON.stringify({ requestKeys: keys }),
    ]);
  });

  it('T: poll answers by request key, from the depth on, and leaves out what is not there', async () => {
    const paid = pay(1);
    await post(1, 'api/v1/send', { cmds: [paid] });
    const poll = (query = ''): Promise<Answer> =>
      post(1, `api/v1/poll${query}`, { requestKeys: [paid.hash, NOWHERE] });
    expect(said(await poll())).toEqual([200, JSON_TYPE, '{}']);
    await mineOne(node, 1);
    expect((await poll()).json()).toMatchObject({ [paid.hash]: { reqKey: paid.hash } });
    expect((await poll('?confirmationDepth=1')).text).toBe('{}');
    expect((await poll('?confirmationDepth=x')).status).toBe(400);
  });

  it('T: listen answers the bare result, as poll has it, once it is in a block', async () => {
    const paid = pay(2);
    const listening = post(2, 'api/v1/listen', { listen: paid.hash });
    await post(2, 'api/v1/send', { cmds: [paid] });
    await mineOne(node, 2);
    const heard = await listening;
    expect([heard.status, heard.headers['content-type']]).toEqual([200, JSON_TYPE]);
    const polled = (await post(2, 'api/v1/poll', { requestKeys: [paid.hash] })).json<object>();
    expect(polled).toEqual({ [paid.hash]: heard.json() });
  });

  it('T: local answers the bare result, or a preflight with warnings; both ways of writing true', async () => {
    const read = command({ code: `(coin.get-balance "${ALICE.account}")`, chainId: 3 });
    const bare = await post(3, 'api/v1/local?signatureVerification=false', read);
    expect([bare.status, bare.headers['content-type'], bare.json()]).toEqual([
      200,
      JSON_TYPE,
      expect.objectContaining({ result: { status: 'success', data: 1_000_000 }, reqKey: read.hash }),
    ]);
    for (const yes of ['true', 'True']) {
      const tried = await post(3, `api/v1/local?preflight=${yes}`, pay(3));
      expect(tried.json()).toMatchObject({ preflightResult: { metaData: {} }, preflightWarnings: [] });
    }
    expect((await post(3, 'api/v1/local?preflight=1', read)).status).toBe(400);
  });

  it('T: spv is refused with words', async () => {
    const answer = await post(0, 'spv', { requestKey: NOWHERE, targetChainId: '1' });
    expect(said(answer)).toEqual([400, words, expect.stringContaining('contracts do not run')]);
  });

  it.each(['send', 'poll', 'listen', 'local'])('T: %s refuses as all do', async (name) => {
    const path = `api/v1/${name}`;
    expect(said(await post(0, path, {}))).toEqual([400, words, expect.stringContaining('must be')]);
    expect(said(await post(0, path, []))).toEqual([400, words, expect.any(String)]);
    const url = `${node.url}/chain/0/pact/${path}`;
    expect(said(await ask(url, { method: 'POST', body: 'x' }))).toEqual([415, words, expect.any(String)]);
    const headers = { 'content-type': 'application/json' };
    expect(said(await ask(url, { method: 'POST', body: '{', headers }))).toEqual([
      400,
      words,
      expect.stringContaining('no JSON'),
    ]);
    expect((await ask(url)).status).toBe(405);
    // Without a word, whatever stands there.
    for (const chain of [20, 77, 'x', '-1', '00000000000000000000'])
      expect(said(await post(chain, path, {}))).toEqual([404, undefined, '']);
  });
});
