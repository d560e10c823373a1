/** Anonymous users' names beside a good rig, through the whole of the real bridge: what the rig was answered is what the books hold. */
import { expect, it } from 'vitest';
import { midstateOf } from '../../src/core/bytes/blake2s.js';
import { fromHex } from '../../src/core/bytes/bytes.js';
import { composeNonce, nonce1FromHex, nonce2FromNumber, nonce2ToHex } from '../../src/core/jobs/nonce.js';
import { headerFromBytes, powHashWithNonce } from '../../src/core/work/header.js';
import { meetsTarget, targetOf } from '../../src/core/work/target.js';
import { startDevNode } from '../../src/devnode/dev-node.js';
import type { Summary } from '../../src/operations/state.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runProgram, startProgram } from '../helpers/processes/program.js';
import { WireRig } from '../helpers/rigs/wire-rig.js';
import { until } from '../helpers/until.js';
import { fetchAsReader } from '../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const SHARE_DIFFICULTY = 256n;
const ROUNDS = 40;
/** Characters of three bytes in no order, which PostgreSQL cannot compress: an index row holds fewer of them. */
const many = (step: number): string =>
  String.fromCharCode(
    ...Array.from({ length: 512 }, (_, i) => 0x4e00 + ((i * i * step + i * 7919) % 20_011)),
  );
/** Besides: text holds no NUL, and half of a character is none. */
const NAMES = [`${many(31)}.${many(57)}`, 'a\0b.\0', 'a\ud800.r', "'; DROP TABLE rig; --.r"];

/** nonce2 of one share after the other, as a rig finds them in its job. */
function* sharesOf(headerHex: string, nonce1Hex: string): Generator<string, never> {
  const header = headerFromBytes(fromHex(headerHex) ?? expect.fail('no header'));
  const nonce1 = nonce1FromHex(nonce1Hex) ?? expect.fail('no nonce1');
  const [midstate, target] = [midstateOf(header), targetOf(SHARE_DIFFICULTY)];
  for (let n = 0; ; n++) {
    const nonce2 = nonce2FromNumber(n);
    if (meetsTarget(powHashWithNonce(header, midstate, composeNonce(nonce1, nonce2)), target))
      yield nonce2ToHex(nonce2);
  }
}

it('R1: names of anonymous users keep no share of a good rig out of the books, and come into none', async () => {
  await using folder = await temporaryFolder();
  const node = await startDevNode({ genesisDifficulty: 1e15 });
  await using bridge = startProgram([
    ...[
      'serve',
      '--node-urls',
      node.url,
      '--miner-account',
      ACCOUNT,
      '--data-dir',
      folder.path,
      '--cpu-mode',
      'off',
    ],
    ...['--stratum-share-difficulty', `${SHARE_DIFFICULTY}`],
    ...['--stratum-tcp', '127.0.0.1:0', '--stratum-ws', 'off', '--web-listen', '127.0.0.1:0'],
  ]);
  const { tcp, web } = await bridge.ready();
  const summary = async (): Promise<Summary> =>
    (await fetchAsReader(`${web}/api/v1/summary`)).json() as Promise<Summary>;
  const connect = (): Promise<WireRig> => WireRig.connect('tcp', Number(String(tcp).split(':')[1]));
  const rigs = await Promise.all([connect(), connect(), connect(), connect()]);
  const [good, unsubscribed, unauthorized, other] = rigs;
  for (const rig of [good, unauthorized, other]) await rig.request(1, 'mining.subscribe', []);
  const subscription = (await good.until(({ id }) => id === 1)).result as unknown[];
  expect((await good.request(2, 'mining.authorize', [`${ACCOUNT}.good`, 'x'])).result).toBe(true);
  expect((await other.request(2, 'mining.authorize', ['stranger.r', 'x'])).result).toBe(true);
  for (const name of NAMES.slice(0, 3))
    expect((await unauthorized.request(name, 'mining.authorize', [name, 'x'])).error?.[0]).toBe(24);
  const { params } = await good.until(({ method }) => method === 'mining.notify');
  const [jobId, header] = params as [string, string];
  const nonces = sharesOf(header, String(subscription[1]));
  let answered = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const name = NAMES[round % NAMES.length];
    for (const rig of [unsubscribed, unauthorized, other])
      rig.send(JSON.stringify({ id: `${round}`, method: 'mining.submit', params: [name, jobId, '00'] }));
    const share = [`${ACCOUNT}.good`, jobId, nonces.next().value];
    if ((await good.request(`share ${round}`, 'mining.submit', share)).result === true) answered++;
    for (const rig of [unsubscribed, unauthorized, other])
      expect((await rig.until(({ id }) => id === `${round}`)).error?.[0]).toBe(
        rig === unsubscribed ? 25 : 24,
      );
  }
  expect(answered).toBe(ROUNDS);
  await until('all is in the books', async () => {
    const { queue } = await summary();
    return queue.waiting === 0 && queue.heldBack === 0 && (await summary()).ledger.shares === answered;
  });
  const { ledger, queue, submits } = await summary();
  expect(ledger.work).toBe(`${BigInt(answered) * SHARE_DIFFICULTY}`);
  expect(queue.failed).toBe(0);
  expect(submits).toMatchObject({ accepted: ROUNDS, notSubscribed: ROUNDS, unauthorized: 2 * ROUNDS });
  for (const rig of rigs) rig.vanish();
  const { text } = await runProgram(['ledger', 'accounts', '--json', '--data-dir', folder.path]);
  expect(JSON.parse(text)).toMatchObject([{ account: ACCOUNT, rigs: 1, shares: answered }]);
  bridge.kill('SIGTERM');
  expect(await bridge.ended).toBe(0);
  await node.close();
});
